/// Bytes per second in a sliding window of five seconds, in buckets of one second. Times are seconds.
struct ByteMeter: Hashable, Sendable {
    private static let count = 5

    private var numbers = Array(repeating: Int64.min, count: count)
    private var sums = Array(repeating: 0, count: count)

    mutating func add(_ bytes: Int, now: Double) {
        let number = Int64(now)
        let index = Int(number % Int64(Self.count))
        if numbers[index] != number { (numbers[index], sums[index]) = (number, 0) }
        sums[index] += bytes
    }

    /// The average of the last five seconds, of which the newest is incomplete.
    func bytesPerSecond(now: Double) -> Int {
        let oldest = Int64(now) - Int64(Self.count)
        return zip(numbers, sums).reduce(0) { $1.0 > oldest ? $0 + $1.1 : $0 } / Self.count
    }
}
