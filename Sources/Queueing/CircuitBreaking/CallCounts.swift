/// How many calls there were of late and how many of them failed, to a tenth of the time that is looked back on.
struct CallCounts {
    private struct Slot {
        var number: Int64 = .min
        var calls = 0
        var failures = 0
    }

    private let slotLength: Duration
    private var slots = Array(repeating: Slot(), count: 10)

    init(window: Duration) { slotLength = max(window.bounded / 10, .nanoseconds(1)) }

    mutating func add(failed: Bool, now: Duration) {
        let number = number(now)
        let index = Int(number % Int64(slots.count))
        if slots[index].number != number { slots[index] = Slot(number: number) }
        slots[index].calls += 1
        if failed { slots[index].failures += 1 }
    }

    /// The counts of the last ten slots, of which the newest has only begun.
    func sums(now: Duration) -> (calls: Int, failures: Int) {
        let number = number(now)
        return slots.reduce((0, 0)) { sums, slot in
            guard slot.number > number - Int64(slots.count) else { return sums }
            return (sums.0 + slot.calls, sums.1 + slot.failures)
        }
    }

    private func number(_ now: Duration) -> Int64 { Int64(min(max(0, now / slotLength), 1e18)) }
}
