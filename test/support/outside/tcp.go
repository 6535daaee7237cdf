package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
)

func main() {
	conn, err := net.Dial("tcp", os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Fprint(conn, "GET / HTTP/1.0\r\n\r\n")
	answer, _ := io.ReadAll(conn)
	fmt.Print(strings.SplitN(string(answer), "\r\n\r\n", 2)[1])
}
