package a.b;

import static java.util.stream.Collectors.*;
import java.util.*;

public sealed interface Shape permits Circle, Square {}
record Circle(double r) implements Shape { Circle { if (r < 0) throw new IllegalArgumentException(); } }
non-sealed class Square implements Shape {}

@FunctionalInterface
interface F<T extends Comparable<? super T> & Runnable> { T apply(T... in) throws Exception; default int x() { return 1; } }

enum Level { LOW(1) { @Override int f() { return 1; } }, HIGH(2); Level(int n) {} int f() { return 0; } }

class Main {
    private static final String TEXT = """
        a "quoted" text
        """;
    static double area(Object s) {
        return switch (s) {
            case Circle(double r) when r > 1 -> Math.PI * r * r;
            case Square q -> { yield 1.0; }
            case null, default -> 0;
        };
    }
    public static void main(String[] args) throws Exception {
        var list = new ArrayList<Map.Entry<String, int[]>>() {{ add(null); }};
        try (var in = new Scanner(System.in); in) { label: for (;;) { break label; } }
        catch (IllegalStateException | RuntimeException e) { } finally { synchronized (Main.class) { } }
        if (list.get(0) instanceof Map.Entry<String, int[]> e && e.getValue()[0] >>> 1 == 0b1_0) { }
        Runnable r = Main::new; list.stream().map(x -> (Object) x).toList();
    }
}
