// Package firasimpb is FIRASim's and VSSReferee's interface in generated code: tests measure the hand codec and the
// simulator's service by it. Programs use package firasim.
//
// To generate it again, with protoc, protoc-gen-go (go install google.golang.org/protobuf/cmd/protoc-gen-go) and
// protoc-gen-go-grpc (go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2) on the path, run in the module's
// root:
//
//	protoc --go_out=. --go_opt=module=touchline --go-grpc_out=. --go-grpc_opt=module=touchline wire/firasim/firasimpb/*.proto
package firasimpb
