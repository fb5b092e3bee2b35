<!doctype html>
<p><?= $title ?? 'none' ?></p>
<?php
declare(strict_types=1);
namespace App\Model;
use App\{A, B as C};
#[Attribute(Attribute::TARGET_CLASS)]
enum Suit: string { case Hearts = 'H'; const X = self::Hearts; public function label(): string { return ucfirst($this->name); } }
final readonly class User extends Base implements I {
    use T { a as protected b; }
    public function __construct(private ?int $id = null, protected readonly string|int $name = 'x', ) {}
    public static function make(mixed ...$args): static { return new static(...$args); }
}
abstract class Z { abstract protected function f(A&B $x): never; }
$f = fn(int $x): int => $x ** 2;
$g = function () use (&$f): ?array { yield from [1, ...$f]; };
$r = match(true) { $x > 1, $y => 'a', default => throw new \Exception("b {$x->y['z']} $q[0]") };
foreach ($list as ['id' => $id, 'name' => [$a, , $b]]): echo $id; endforeach;
echo <<<"EOT"
    Text {$a?->b}
    EOT;
$o = new class(1) { public int $x = 1; };
str_contains(haystack: 'a', needle: 'b') and print(1_000);
strlen(...);
try { $x = &$y; } catch (A|B) { } finally { goto end; }
end:
?>
