package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	answer, err := http.Get(os.Args[1])
	if err != nil {
		panic(err)
	}
	text, _ := io.ReadAll(answer.Body)
	fmt.Print(string(text))
}
