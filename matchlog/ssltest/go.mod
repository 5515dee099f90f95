module touchline/matchlog/ssltest

go 1.26.0

require github.com/RoboCup-SSL/ssl-go-tools v1.12.0

require (
	github.com/libp2p/go-reuseport v0.4.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/net v0.55.0 // indirect
	golang.org/x/sys v0.45.0 // indirect
)
