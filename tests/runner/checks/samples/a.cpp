#include <vector>
#include <memory>
namespace a::b {
template <typename T, std::size_t N = 3> class Box final : public Base<T>, private Other {
 public:
  explicit Box(T value) noexcept : value_{std::move(value)}, n_(N) {}
  virtual ~Box() = default;
  Box& operator=(Box&&) = delete;
  [[nodiscard]] constexpr auto get() const& -> const T& { return value_; }
 private:
  T value_;
  int n_ = 0;
};
enum class Color : unsigned char { Red, Green };
}  // namespace a::b
int main() {
  auto f = [&, x = 1](auto&&... args) mutable -> int { return (x + ... + args); };
  std::vector<std::vector<int>> v{{1, 2}, {3}};
  for (const auto& [key, value] : std::map<int, int>{{1, 2}}) std::cout << key << value;
  if (auto it = v.begin(); it != v.end() && !it->empty()) { throw std::runtime_error(R"(raw "x")"); }
  if constexpr (sizeof(int) == 4) { return static_cast<int>(1'000 <=> 2 ? 1 : 0); }
  auto p = std::make_unique<int[]>(3);
  try { f(1, 2); } catch (const std::exception& e) { } catch (...) { }
}
