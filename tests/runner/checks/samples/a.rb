# frozen_string_literal: true
require "set"

module Shop
  class Cart < Struct.new(:items, keyword_init: true)
    include Enumerable
    attr_reader :total, :name
    LIMIT = 1_000
    def initialize(items = [], *rest, key:, opt: 1, **more, &block) = super(items:)
    def each(&) = items.each(&)
    def <=>(other) = total <=> other&.total
    private def sum! = @total ||= items.sum { _1.price * 2 }
    class << self
      def build(...) = new(...)
    end
  end
end

text = <<~SQL.strip
  SELECT #{name} FROM t
SQL
case { name: "x", age: 3 }
in { name: String => n, age: Integer => a } if a > 1 then puts n
in [Integer, *] | nil then nil
else raise ArgumentError, "bad" unless text =~ /a#{1}b/ix
end
begin
  %w[a b].map(&:to_sym).each_with_index do |x, i| puts "#{x}: #{i}" end
rescue StandardError, IOError => e
  retry if (tries += 1) < 3
else 1
ensure
  puts e&.message
end
puts [1, 2].sum { it + 1 } if defined?(foo) and not nil.nil?
x = if true then :a else :"b c" end
while line = gets do puts line until true end
lambda = ->(a, b = 2) { a + b }
