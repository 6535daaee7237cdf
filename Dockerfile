# A sandbox in a container: docs/guide/where-it-runs.md, "Containers".

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /sandglass
COPY package.json package-lock.json ./
# The checkout brings a Node of its own, which this image need not fetch: npm's scripts use the image's.
RUN npm ci --ignore-scripts && rm -f node_modules/.bin/node*
COPY . .
RUN npm run build && npm pack --ignore-scripts --pack-destination /tmp

FROM node:24.21.0-bookworm-slim
COPY --from=build /tmp/sandglass-*.tgz /tmp/
RUN npm install --global --ignore-scripts /tmp/sandglass-*.tgz \
  && npm cache clean --force \
  && rm /tmp/sandglass-*.tgz
USER node
WORKDIR /home/node
EXPOSE 4400
HEALTHCHECK --interval=5s --timeout=5s --start-period=15s --retries=5 CMD ["sandglass", "status"]
ENTRYPOINT ["sandglass"]
CMD ["start", "--host", "0.0.0.0"]
