# syntax=docker/dockerfile:1
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG COMMIT=
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -tags nomsgpack -ldflags "-s -w -X main.commit=${COMMIT}" -o /out/banca ./cmd/banca && scripts/licences.sh /out/licenses

# tzdata: business days are days of BUSINESS_TIMEZONE. Busybox's wget serves the health check.
FROM alpine:3.22
RUN apk add --no-cache ca-certificates tzdata && adduser -D -H -u 10001 banca
COPY --from=build /out/banca /usr/local/bin/banca
COPY --from=build /out/licenses /usr/share/licenses/banca
USER banca
ENV HTTP_ADDR=0.0.0.0:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["banca"]
CMD ["api"]
