# docker build -t touchline . && docker run --rm --network host touchline
# Without --network host publish the ports: docker run --rm -p 8014:8014 touchline demo --http 0.0.0.0:8014
FROM golang:1.26 AS build
WORKDIR /source
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /image/touchline ./cmd/touchline && mkdir -m 1777 /image/tmp

FROM scratch
COPY --from=build /image /
WORKDIR /tmp
EXPOSE 8014 28097
ENTRYPOINT ["/touchline"]
