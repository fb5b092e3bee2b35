using System;
using System.Collections.Generic;
using System.Linq;
using static System.Math;

namespace Shop.Cart;

/// <summary>A line of a cart.</summary>
public sealed record CartLine(string Name, decimal Price, int Quantity = 1)
{
    public decimal Sum => Price * Quantity;
}

public interface ICart<out T> where T : notnull
{
    IReadOnlyList<T> Lines { get; }
}

[Serializable]
public partial class Cart : ICart<CartLine>, IDisposable
{
    private readonly List<CartLine> _lines = [];
    public required string Owner { get; init; }
    public event EventHandler<CartLine>? Added;
    public IReadOnlyList<CartLine> Lines => _lines;
    public CartLine this[int index] => _lines[index];

    public void Add(CartLine line)
    {
        ArgumentNullException.ThrowIfNull(line);
        if (line is not { Quantity: > 0 and < 1_000, Price: >= 0m })
        {
            throw new ArgumentException($"Cannot add {line.Name} ({line.Price:0.00})", nameof(line));
        }
        _lines.Add(line with { Name = line.Name.Trim() });
        Added?.Invoke(this, line);
    }

    public async Task<decimal> TotalAsync(Func<string, Task<decimal>> rate)
    {
        await foreach (var name in Names()) Console.WriteLine(name);
        var factor = await rate("EUR").ConfigureAwait(false);
        return Round(_lines.Sum(l => l.Sum) * factor, 2);
    }

    private static string Kind(object? it) => it switch
    {
        null => "nothing",
        CartLine { Quantity: 0 } => "empty",
        string { Length: > 3 } s when s[0] == 'a' => s[^1..],
        _ => """a "raw" text""",
    };

    public static Cart operator +(Cart left, CartLine right) { left.Add(right); return left; }

    public void Dispose() => GC.SuppressFinalize(this);
}
