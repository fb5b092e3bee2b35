// Package durations converts, rounds, compares and writes spans of time.
package durations

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// ErrNotADuration says that a text cannot be read.
var ErrNotADuration = errors.New("not a duration")

// Lengths of what is longer than an hour, as used for work.
const (
	Day         = 24 * time.Hour
	Week        = 7 * Day
	WorkingDay  = 8 * time.Hour
	WorkingWeek = 5 * WorkingDay
)

// Seconds returns a duration as seconds, with a fraction.
func Seconds(d time.Duration) float64 {
	return float64(d) / float64(time.Second)
}

// FromSeconds returns the duration of so many seconds.
func FromSeconds(count float64) time.Duration {
	return time.Duration(count * float64(time.Second))
}

// WholeSeconds returns how many whole seconds a duration has.
func WholeSeconds(d time.Duration) int {
	return int(d / (time.Second))
}

// IsWholeSeconds tells whether a duration is whole seconds.
func IsWholeSeconds(d time.Duration) bool {
	return d%(time.Second) == 0
}

// Minutes returns a duration as minutes, with a fraction.
func Minutes(d time.Duration) float64 {
	return float64(d) / float64(time.Minute)
}

// FromMinutes returns the duration of so many minutes.
func FromMinutes(count float64) time.Duration {
	return time.Duration(count * float64(time.Minute))
}

// WholeMinutes returns how many whole minutes a duration has.
func WholeMinutes(d time.Duration) int {
	return int(d / (time.Minute))
}

// IsWholeMinutes tells whether a duration is whole minutes.
func IsWholeMinutes(d time.Duration) bool {
	return d%(time.Minute) == 0
}

// Hours returns a duration as hours, with a fraction.
func Hours(d time.Duration) float64 {
	return float64(d) / float64(time.Hour)
}

// FromHours returns the duration of so many hours.
func FromHours(count float64) time.Duration {
	return time.Duration(count * float64(time.Hour))
}

// WholeHours returns how many whole hours a duration has.
func WholeHours(d time.Duration) int {
	return int(d / (time.Hour))
}

// IsWholeHours tells whether a duration is whole hours.
func IsWholeHours(d time.Duration) bool {
	return d%(time.Hour) == 0
}

// Days returns a duration as days, with a fraction.
func Days(d time.Duration) float64 {
	return float64(d) / float64(Day)
}

// FromDays returns the duration of so many days.
func FromDays(count float64) time.Duration {
	return time.Duration(count * float64(Day))
}

// WholeDays returns how many whole days a duration has.
func WholeDays(d time.Duration) int {
	return int(d / (Day))
}

// IsWholeDays tells whether a duration is whole days.
func IsWholeDays(d time.Duration) bool {
	return d%(Day) == 0
}

// Weeks returns a duration as weeks, with a fraction.
func Weeks(d time.Duration) float64 {
	return float64(d) / float64(Week)
}

// FromWeeks returns the duration of so many weeks.
func FromWeeks(count float64) time.Duration {
	return time.Duration(count * float64(Week))
}

// WholeWeeks returns how many whole weeks a duration has.
func WholeWeeks(d time.Duration) int {
	return int(d / (Week))
}

// IsWholeWeeks tells whether a duration is whole weeks.
func IsWholeWeeks(d time.Duration) bool {
	return d%(Week) == 0
}

// WorkingDays returns a duration as workingdays, with a fraction.
func WorkingDays(d time.Duration) float64 {
	return float64(d) / float64(WorkingDay)
}

// FromWorkingDays returns the duration of so many workingdays.
func FromWorkingDays(count float64) time.Duration {
	return time.Duration(count * float64(WorkingDay))
}

// WholeWorkingDays returns how many whole workingdays a duration has.
func WholeWorkingDays(d time.Duration) int {
	return int(d / (WorkingDay))
}

// IsWholeWorkingDays tells whether a duration is whole workingdays.
func IsWholeWorkingDays(d time.Duration) bool {
	return d%(WorkingDay) == 0
}

// WorkingWeeks returns a duration as workingweeks, with a fraction.
func WorkingWeeks(d time.Duration) float64 {
	return float64(d) / float64(WorkingWeek)
}

// FromWorkingWeeks returns the duration of so many workingweeks.
func FromWorkingWeeks(count float64) time.Duration {
	return time.Duration(count * float64(WorkingWeek))
}

// WholeWorkingWeeks returns how many whole workingweeks a duration has.
func WholeWorkingWeeks(d time.Duration) int {
	return int(d / (WorkingWeek))
}

// IsWholeWorkingWeeks tells whether a duration is whole workingweeks.
func IsWholeWorkingWeeks(d time.Duration) bool {
	return d%(WorkingWeek) == 0
}

// RoundToMinutes rounds to whole minutes; what lies in the middle is rounded up.
func RoundToMinutes(d time.Duration) time.Duration {
	return d.Round(time.Minute)
}

// RoundDownToMinutes rounds down to whole minutes.
func RoundDownToMinutes(d time.Duration) time.Duration {
	return d.Truncate(time.Minute)
}

// RoundUpToMinutes rounds up to whole minutes.
func RoundUpToMinutes(d time.Duration) time.Duration {
	down := d.Truncate(time.Minute)
	if down == d {
		return d
	}
	return down + time.Minute
}

// RoundToQuarters rounds to whole quarters; what lies in the middle is rounded up.
func RoundToQuarters(d time.Duration) time.Duration {
	return d.Round(15 * time.Minute)
}

// RoundDownToQuarters rounds down to whole quarters.
func RoundDownToQuarters(d time.Duration) time.Duration {
	return d.Truncate(15 * time.Minute)
}

// RoundUpToQuarters rounds up to whole quarters.
func RoundUpToQuarters(d time.Duration) time.Duration {
	down := d.Truncate(15 * time.Minute)
	if down == d {
		return d
	}
	return down + 15*time.Minute
}

// RoundToHalfHours rounds to whole halfhours; what lies in the middle is rounded up.
func RoundToHalfHours(d time.Duration) time.Duration {
	return d.Round(30 * time.Minute)
}

// RoundDownToHalfHours rounds down to whole halfhours.
func RoundDownToHalfHours(d time.Duration) time.Duration {
	return d.Truncate(30 * time.Minute)
}

// RoundUpToHalfHours rounds up to whole halfhours.
func RoundUpToHalfHours(d time.Duration) time.Duration {
	down := d.Truncate(30 * time.Minute)
	if down == d {
		return d
	}
	return down + 30*time.Minute
}

// RoundToHours rounds to whole hours; what lies in the middle is rounded up.
func RoundToHours(d time.Duration) time.Duration {
	return d.Round(time.Hour)
}

// RoundDownToHours rounds down to whole hours.
func RoundDownToHours(d time.Duration) time.Duration {
	return d.Truncate(time.Hour)
}

// RoundUpToHours rounds up to whole hours.
func RoundUpToHours(d time.Duration) time.Duration {
	down := d.Truncate(time.Hour)
	if down == d {
		return d
	}
	return down + time.Hour
}

// RoundToDays rounds to whole days; what lies in the middle is rounded up.
func RoundToDays(d time.Duration) time.Duration {
	return d.Round(Day)
}

// RoundDownToDays rounds down to whole days.
func RoundDownToDays(d time.Duration) time.Duration {
	return d.Truncate(Day)
}

// RoundUpToDays rounds up to whole days.
func RoundUpToDays(d time.Duration) time.Duration {
	down := d.Truncate(Day)
	if down == d {
		return d
	}
	return down + Day
}

// Abs returns a duration without its sign.
func Abs(d time.Duration) time.Duration {
	if d < 0 {
		return -d
	}
	return d
}

// Min returns the shortest.
func Min(first time.Duration, more ...time.Duration) time.Duration {
	least := first
	for _, d := range more {
		if d < least {
			least = d
		}
	}
	return least
}

// Max returns the longest.
func Max(first time.Duration, more ...time.Duration) time.Duration {
	most := first
	for _, d := range more {
		if d > most {
			most = d
		}
	}
	return most
}

// Sum adds durations up.
func Sum(all ...time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range all {
		sum += d
	}
	return sum
}

// Average divides a sum; it is 0 when there is nothing to divide by.
func Average(sum time.Duration, count int) time.Duration {
	if count == 0 {
		return 0
	}
	return sum / time.Duration(count)
}

// Median returns the one in the middle, or the mean of the two there; 0 for none.
func Median(all ...time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := Sorted(all...)
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return Average(sorted[middle-1]+sorted[middle], 2)
}

// Sorted returns the durations in order, the shortest first.
func Sorted(all ...time.Duration) []time.Duration {
	sorted := append([]time.Duration(nil), all...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
	return sorted
}

// Clamp returns a duration that is within bounds.
func Clamp(d, least, most time.Duration) time.Duration {
	return Max(least, Min(d, most))
}

// Ratio returns how much of a whole a part is; 0 when the whole is 0.
func Ratio(part, whole time.Duration) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Percent returns how many per cent of a whole a part is, rounded down.
func Percent(part, whole time.Duration) int {
	return int(Ratio(part, whole) * 100)
}

// Split returns a duration as hours, minutes and seconds.
func Split(d time.Duration) (hours, minutes, seconds int) {
	return WholeHours(d), WholeMinutes(d) % 60, WholeSeconds(d) % 60
}

// Clock writes a duration like "8:05".
func Clock(d time.Duration) string {
	hours, minutes, _ := Split(Abs(d))
	return fmt.Sprintf("%s%d:%02d", sign(d), hours, minutes)
}

// ClockSeconds writes a duration like "8:05:30".
func ClockSeconds(d time.Duration) string {
	hours, minutes, seconds := Split(Abs(d))
	return fmt.Sprintf("%s%d:%02d:%02d", sign(d), hours, minutes, seconds)
}

// Decimal writes a duration as hours, like "8.25".
func Decimal(d time.Duration) string {
	return strconv.FormatFloat(Hours(d), 'f', 2, 64)
}

// Words writes a duration for people, like "2 days 3 hours".
func Words(d time.Duration) string {
	var parts []string
	rest := Abs(d)
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"day", Day}, {"hour", time.Hour}, {"minute", time.Minute}} {
		count := int(rest / unit.length)
		rest -= time.Duration(count) * unit.length
		if count > 0 {
			parts = append(parts, counted(count, unit.name))
		}
	}
	if len(parts) == 0 {
		return "no time"
	}
	return strings.Join(parts, " ")
}

// Parse reads a duration like "8:05" or "8.25".
func Parse(text string) (time.Duration, error) {
	hours, minutes, found := strings.Cut(strings.TrimSpace(text), ":")
	if !found {
		count, err := strconv.ParseFloat(hours, 64)
		if err != nil {
			return 0, fmt.Errorf("%w: %q", ErrNotADuration, text)
		}
		return FromHours(count), nil
	}
	h, err := strconv.Atoi(hours)
	if err != nil {
		return 0, fmt.Errorf("%w: %q", ErrNotADuration, text)
	}
	m, err := strconv.Atoi(minutes)
	if err != nil || m < 0 || m > 59 {
		return 0, fmt.Errorf("%w: %q", ErrNotADuration, text)
	}
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute, nil
}

// ParseAll reads several durations; the first that cannot be read is the error.
func ParseAll(texts ...string) ([]time.Duration, error) {
	var all []time.Duration
	for _, text := range texts {
		d, err := Parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Overtime returns how much more than planned was worked, in whole minutes.
func Overtime(worked, days int, perDay time.Duration) time.Duration {
	planned := time.Duration(days) * perDay
	return time.Duration(worked)*time.Minute - planned
}

// Longer tells whether a duration is longer, whatever their signs.
func Longer(d, other time.Duration) bool {
	return Abs(d) > Abs(other)
}

// Equal tells whether two durations differ by no more than a tolerance.
func Equal(d, other, tolerance time.Duration) bool {
	return Abs(d-other) <= tolerance
}

// Break returns how long a break must be by law: 30 minutes after 6 hours, 45 after 9.
func Break(worked time.Duration) time.Duration {
	switch {
	case worked > 9*time.Hour:
		return 45 * time.Minute
	case worked > 6*time.Hour:
		return 30 * time.Minute
	default:
		return 0
	}
}

// Net returns the time at work without its break.
func Net(present time.Duration) time.Duration {
	return present - Break(present)
}

// Bar draws how much of a whole a duration is, like "###..".
func Bar(d, whole time.Duration, width int) string {
	filled := int(Ratio(d, whole)*float64(width) + 0.5)
	if filled > width {
		filled = width
	}
	return strings.Repeat("#", filled) + strings.Repeat(".", width-filled)
}

// Cumulative returns the sums up to each duration.
func Cumulative(all ...time.Duration) []time.Duration {
	sums := make([]time.Duration, 0, len(all))
	var sum time.Duration
	for _, d := range all {
		sum += d
		sums = append(sums, sum)
	}
	return sums
}

// Differences returns how much each duration is longer than the one before.
func Differences(all ...time.Duration) []time.Duration {
	var found []time.Duration
	for i := 1; i < len(all); i++ {
		found = append(found, all[i]-all[i-1])
	}
	return found
}

// Shares returns how much of the sum each duration is.
func Shares(all ...time.Duration) []float64 {
	sum := Sum(all...)
	shares := make([]float64, 0, len(all))
	for _, d := range all {
		shares = append(shares, Ratio(d, sum))
	}
	return shares
}

// Divide cuts a duration into parts; the first ones are a nanosecond longer where it must be.
func Divide(d time.Duration, parts int) []time.Duration {
	if parts <= 0 {
		return nil
	}
	each, rest := d/time.Duration(parts), int(d%time.Duration(parts))
	found := make([]time.Duration, parts)
	for i := range found {
		found[i] = each
		if i < rest {
			found[i]++
		}
	}
	return found
}

// Scale multiplies a duration.
func Scale(d time.Duration, factor float64) time.Duration {
	return time.Duration(float64(d) * factor)
}

// Within tells whether a duration is within bounds, both included.
func Within(d, least, most time.Duration) bool {
	return d >= least && d <= most
}

// Count counts the durations that are to be kept.
func Count(keep func(time.Duration) bool, all ...time.Duration) int {
	return len(Filter(keep, all...))
}

// Filter returns the durations that are to be kept.
func Filter(keep func(time.Duration) bool, all ...time.Duration) []time.Duration {
	var kept []time.Duration
	for _, d := range all {
		if keep(d) {
			kept = append(kept, d)
		}
	}
	return kept
}

// Spread returns how much longer the longest is than the shortest; 0 for none.
func Spread(all ...time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return Max(all[0], all[1:]...) - Min(all[0], all[1:]...)
}

// Until returns how long it is to the next full hour of this name, today or tomorrow.
func Until(clock time.Time, hour int) time.Duration {
	next := time.Date(clock.Year(), clock.Month(), clock.Day(), hour, 0, 0, 0, clock.Location())
	if !next.After(clock) {
		next = next.AddDate(0, 0, 1)
	}
	return next.Sub(clock)
}

// Histogram counts durations by how many whole widths they have.
func Histogram(width time.Duration, all ...time.Duration) map[int]int {
	counts := map[int]int{}
	for _, d := range all {
		counts[int(d/width)]++
	}
	return counts
}

// Billable rounds up to whole steps, as bills do; nothing stays nothing.
func Billable(d, step time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return (d + step - 1) / step * step
}

// Percentile returns the duration that so many per cent do not exceed; 0 for none.
func Percentile(percent int, all ...time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := Sorted(all...)
	at := percent * len(sorted) / 100
	if at >= len(sorted) {
		at = len(sorted) - 1
	}
	return sorted[at]
}

// Remaining returns what is left of a budget; never less than nothing.
func Remaining(budget time.Duration, used ...time.Duration) time.Duration {
	return Max(0, budget-Sum(used...))
}

// Exceeded tells whether more than a budget was used.
func Exceeded(budget time.Duration, used ...time.Duration) bool {
	return Sum(used...) > budget
}

func sign(d time.Duration) string {
	if d < 0 {
		return "-"
	}
	return ""
}

func counted(count int, name string) string {
	if count == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", count, name)
}
