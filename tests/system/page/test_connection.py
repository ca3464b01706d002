"""What the page does when the connection or a request fails."""

import re

from playwright.async_api import expect

from devstack.discord import seed
from devstack.discord.faults import PlannedFault, RequestFault
from devstack.discord.posting import Draft, post
from devstack.discord.server import SimulatedDiscord
from tests.system.page.chat import ChatPage


def _say(discord: SimulatedDiscord, words: str) -> None:
    general = discord.simulation.world.channels[seed.GENERAL_ID]
    post(discord.simulation, Draft(channel=general, author_id=seed.NOOR.id, content=words))


async def test_a_dropped_gateway_is_resumed_and_nothing_is_missed(ada: ChatPage, discord: SimulatedDiscord) -> None:
    assert discord.control.drop_connections() > 0
    await expect(ada.page.locator(".connection")).to_contain_text("Reconnecting…")
    _say(discord, "said while away")
    await expect(ada.row("said while away")).to_be_visible()
    await expect(ada.page.locator(".connection")).to_be_hidden()


async def test_a_lost_session_is_begun_anew_and_the_channel_read_again(
    ada: ChatPage, discord: SimulatedDiscord
) -> None:
    await ada.send("will be edited elsewhere")
    await expect(ada.row("will be edited elsewhere")).not_to_have_class(re.compile("pending"))
    discord.simulation.faults.invalid_resumes = 100
    discord.control.drop_connections()
    _say(discord, "said between two sessions")
    await expect(ada.row("said between two sessions")).to_be_visible()
    await expect(ada.page.locator(".connection")).to_be_hidden()
    discord.simulation.faults.clear()
    _say(discord, "said after")
    await expect(ada.row("said after")).to_be_visible()


async def test_a_refused_connection_is_tried_again_and_says_when(ada: ChatPage, discord: SimulatedDiscord) -> None:
    discord.simulation.faults.refuse_connections = True
    discord.control.drop_connections()
    await expect(ada.page.locator(".countdown")).to_have_text(re.compile(r"next attempt in [2-9] s"))
    discord.simulation.faults.clear()
    await ada.page.get_by_role("button", name="Try now").click()
    await expect(ada.page.locator(".connection")).to_be_hidden()


async def test_a_message_that_could_not_be_sent_stays_and_is_sent_once_on_trying_again(
    ada: ChatPage, discord: SimulatedDiscord
) -> None:
    route = "/channels/{channel_id}/messages"
    discord.simulation.faults.plan(
        PlannedFault(fault=RequestFault.SERVER_ERROR, method="POST", route=route, remaining=1)
    )
    await ada.send("try me again")
    row = ada.row("try me again")
    await expect(row.get_by_role("alert")).to_be_visible()
    await row.get_by_role("button", name="Try again").click()
    await expect(row).not_to_have_class(re.compile("pending"))
    await expect(ada.page.locator(".message", has_text="try me again")).to_have_count(1)


async def test_a_message_whose_answer_is_lost_is_not_shown_as_failed(ada: ChatPage, discord: SimulatedDiscord) -> None:
    route = "/channels/{channel_id}/messages"
    discord.simulation.faults.plan(
        PlannedFault(fault=RequestFault.LOSE_RESPONSE, method="POST", route=route, remaining=1)
    )
    await ada.send("only once")
    await expect(ada.row("only once")).not_to_have_class(re.compile("pending"))
    await expect(ada.page.locator(".message", has_text="only once")).to_have_count(1)
    await expect(ada.page.locator(".toast")).to_have_count(0)


async def test_a_refusal_is_shown_in_discords_own_words(ada: ChatPage, discord: SimulatedDiscord) -> None:
    await ada.send("gone behind your back")
    row = ada.row("gone behind your back")
    await expect(row).not_to_have_class(re.compile("pending"))
    message_id = int(await row.get_attribute("data-id") or 0)
    discord.simulation.world.drop(discord.simulation.world.messages[message_id])
    await ada.act(row, "Add a reaction")
    await ada.page.get_by_role("button", name="thumbsup, yes").click()
    await expect(ada.page.locator(".toast")).to_contain_text("Unknown Message (10008)")
    await ada.page.locator(".toast").get_by_role("button", name="Dismiss").click()


async def test_a_rate_limit_is_waited_out_in_silence(ada: ChatPage, discord: SimulatedDiscord) -> None:
    route = "/channels/{channel_id}/messages"
    discord.simulation.faults.plan(
        PlannedFault(fault=RequestFault.RATE_LIMIT, method="POST", route=route, remaining=1, status=429)
    )
    await ada.send("patience")
    await expect(ada.row("patience")).not_to_have_class(re.compile("pending"))
    await expect(ada.page.locator(".toast")).to_have_count(0)
