# The image of both processes, bot.py and worker.py: production dependencies only, nothing of the stand-ins.
FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PYTHONPATH=/app:/app/src \
    PIP_DISABLE_PIP_VERSION_CHECK=1

WORKDIR /app
COPY requirements-production.lock ./
RUN pip install --no-cache-dir --no-deps --require-hashes --requirement requirements-production.lock \
    && useradd --system --no-create-home gopher

COPY bot.py worker.py ./
COPY src src
COPY workflows workflows
COPY activities activities
COPY schema schema

USER gopher
CMD ["python", "worker.py"]
