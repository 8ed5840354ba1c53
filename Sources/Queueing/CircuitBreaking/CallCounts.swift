/// Success and failure counts in a sliding window of ten buckets.
struct CallCounts {
    private struct Bucket {
        var number: Int64 = .min
        var calls = 0
        var failures = 0
    }

    private let bucketLength: Duration
    private var buckets = Array(repeating: Bucket(), count: 10)

    init(window: Duration) { bucketLength = max(window.bounded / 10, .nanoseconds(1)) }

    mutating func add(failed: Bool, now: Duration) {
        let number = number(now)
        let index = Int(number % Int64(buckets.count))
        if buckets[index].number != number { buckets[index] = Bucket(number: number) }
        buckets[index].calls += 1
        if failed { buckets[index].failures += 1 }
    }

    /// The sums of the last ten buckets, of which the newest is incomplete.
    func sums(now: Duration) -> (calls: Int, failures: Int) {
        let number = number(now)
        return buckets.reduce((0, 0)) { sums, bucket in
            guard bucket.number > number - Int64(buckets.count) else { return sums }
            return (sums.0 + bucket.calls, sums.1 + bucket.failures)
        }
    }

    private func number(_ now: Duration) -> Int64 { Int64(min(max(0, now / bucketLength), 1e18)) }
}
