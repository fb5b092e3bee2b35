// Command timesheet adds the hours of a file up.
package main

import (
	"fmt"
	"os"

	"example.com/timesheet/durations"
	"example.com/timesheet/export"
	"example.com/timesheet/sheet"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: timesheet FILE")
		os.Exit(2)
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer file.Close()
	s, err := sheet.Read(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(export.Summary(s))
	fmt.Println("on average", durations.Clock(durations.Average(s.Sum(), s.Len())))
}
