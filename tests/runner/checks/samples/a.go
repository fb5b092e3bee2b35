package main

import (
	"fmt"
	str "strings"
)

type Number interface{ ~int | ~float64 }

type Pair[K comparable, V any] struct {
	Key K `json:"key"`
	Val V
}

func Map[T, U any](in []T, f func(T) U) (out []U) {
	for i := range len(in) {
		out = append(out, f(in[i]))
	}
	for range 3 {
	}
	return
}

func (p *Pair[K, V]) String() string {
	defer func() { _ = recover() }()
	switch x := any(p.Val).(type) {
	case int, string:
		return fmt.Sprint(x)
	default:
		goto end
	}
end:
	select {
	case v, ok := <-make(chan int):
		_, _ = v, ok
	default:
	}
	m := map[string][]int{"a": {1, 0b11, 0x_ff, 1_000}}
	if v, ok := m["a"]; ok && len(v) > 0 {
		clear(m)
	}
	return str.ToUpper(`raw`)
}
