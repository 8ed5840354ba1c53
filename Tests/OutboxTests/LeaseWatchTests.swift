import Testing

@testable import Outbox

@Suite struct LeaseWatchTests {
    private static func watch() -> LeaseWatch { LeaseWatch(owner: "me", duration: .seconds(10)) }

    @Test func `7: a free lease is taken, and an own one renewed`() {
        var watch = Self.watch()
        #expect(
            watch.decide(SendLease(), wallTime: 50, now: .zero)
                == .send(SendLease(owner: "me", beat: 1, renewed: 50), isTaken: false))
        #expect(
            watch.decide(SendLease(owner: "me", beat: 1, renewed: 50), wallTime: 99_000, now: .seconds(99))
                == .send(SendLease(owner: "me", beat: 2, renewed: 99_000), isTaken: false))
    }

    @Test(arguments: [
        // Another sender notes responses with a larger beat.
        (2 as Int64, 60 as Int64, false), (3, 60, false), (4, 60, false),
        (1, 50, true), (2, 50, true), (7, 50, true), (1, 60, true),
    ])
    func `an own lease of another time, or with a smaller beat, is that of a copy of the store`(
        beat: Int64, renewed: Int64, isCopy: Bool
    ) {
        var watch = Self.watch()
        _ = watch.decide(SendLease(), wallTime: 50, now: .zero)
        _ = watch.decide(SendLease(owner: "me", beat: 1, renewed: 50), wallTime: 60, now: .zero)
        #expect(
            watch.decide(SendLease(owner: "me", beat: beat, renewed: renewed), wallTime: 70, now: .zero)
                == .send(SendLease(owner: "me", beat: beat + 1, renewed: 70), isTaken: isCopy))
    }

    @Test(arguments: [
        // The wall clock, the time without a sign of life, and whether the lease has expired.
        (1_000_000 as Int64, Duration.zero, false), (1_009_999, .zero, false), (1_010_000, .zero, true),
        (9_000_000, .zero, true),
        // A clock that was set back tells nothing; the monotonic one does.
        (0, .zero, false), (0, .seconds(9), false), (0, .seconds(10), true), (1_000_000, .seconds(10), true),
    ])
    func `7: a lease of another sender expires by either clock`(wallTime: Int64, silence: Duration, isExpired: Bool) {
        var watch = Self.watch()
        let stored = SendLease(owner: "other", beat: 3, renewed: 1_000_000)
        // Seen at 5 seconds for the first time.
        #expect(watch.decide(stored, wallTime: 1_000_000, now: .seconds(5)) == .wait(until: .seconds(6)))
        let decision = watch.decide(stored, wallTime: wallTime, now: .seconds(5) + silence)
        let taken = LeaseWatch.Decision.send(SendLease(owner: "me", beat: 4, renewed: wallTime), isTaken: true)
        // A tenth of the duration later, since the owner may release it.
        #expect(decision == (isExpired ? taken : .wait(until: min(.seconds(15), .seconds(6) + silence))))
    }

    @Test func `7: a sign of life starts the wait again`() {
        var watch = Self.watch()
        _ = watch.decide(SendLease(owner: "other", beat: 3, renewed: 900_000), wallTime: 0, now: .zero)
        let alive = SendLease(owner: "other", beat: 4, renewed: 900_000)
        #expect(watch.decide(alive, wallTime: 0, now: .seconds(9)) == .wait(until: .seconds(10)))
        #expect(watch.decide(alive, wallTime: 0, now: .milliseconds(18_500)) == .wait(until: .seconds(19)))
        #expect(
            watch.decide(alive, wallTime: 0, now: .seconds(19))
                == .send(SendLease(owner: "me", beat: 5, renewed: 0), isTaken: true))
    }
}
