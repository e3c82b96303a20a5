# syntax=docker/dockerfile:1
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG COMMIT=
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -tags nomsgpack -ldflags "-s -w -X main.commit=${COMMIT}" -o /out/banca ./cmd/banca && scripts/licences.sh /out/licenses && mkdir /out/tmp

# The program has zones, certificates and `banca ready`, so the image has nothing else.
FROM scratch
COPY --from=build /out/banca /usr/bin/banca
COPY --from=build /out/licenses /usr/share/licenses/banca
COPY --from=build --chmod=1777 /out/tmp /tmp
USER 10001:10001
ENV PATH=/usr/bin HTTP_ADDR=0.0.0.0:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["banca"]
CMD ["api"]
