import StoreCore
import Synchronization
import Testing

@Suite struct StoreSubscriptionTests {
    @Test func `cancels exactly once`() {
        let count = Mutex(0)
        do {
            let subscription = StoreSubscription { count.withLock { $0 += 1 } }
            subscription.cancel()
            #expect(count.withLock { $0 } == 1)
            subscription.cancel()
        }
        #expect(count.withLock { $0 } == 1)
        _ = StoreSubscription { count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 2)
    }

    @Test func `publishes to subscribers in order`() {
        let subscribers = StoreSubscribers()
        let seen = Mutex<[String]>([])
        let first = subscribers.subscribe { change in
            seen.withLock { $0.append("first \(change.tables.map(\.text).sorted())") }
        }
        let second = subscribers.subscribe { _ in seen.withLock { $0.append("second") } }
        subscribers.publish(["jack", "patchbay_delta"])
        subscribers.publish(["Patchbay_delta"])
        subscribers.publish([])
        first.cancel()
        withExtendedLifetime(second) { subscribers.publish(["jack"]) }
        #expect(seen.withLock { $0 } == [#"first ["jack"]"#, "second", "second"])
    }

    @Test func `a handler that another one cancels is not called`() {
        let subscribers = StoreSubscribers()
        let later = Mutex<StoreSubscription?>(nil)
        let calls = Mutex(0)
        let first = subscribers.subscribe { _ in later.withLock { $0 }?.cancel() }
        let second = subscribers.subscribe { _ in calls.withLock { $0 += 1 } }
        later.withLock { $0 = second }
        withExtendedLifetime(first) { subscribers.publish(["jack"]) }
        #expect(calls.withLock { $0 } == 0)
    }

    @Test func `a token retains its handler neither after its cancellation nor after the end`() {
        final class Witness: Sendable {}
        for isFinished in [false, true] {
            let subscribers = StoreSubscribers()
            weak var witness: Witness?
            let subscription: StoreSubscription
            do {
                let captured = Witness()
                witness = captured
                subscription = subscribers.subscribe { _ in withExtendedLifetime(captured) {} }
            }
            #expect(witness != nil)
            if isFinished { subscribers.finish() } else { subscription.cancel() }
            withExtendedLifetime(subscription) { #expect(witness == nil) }
        }
    }
}
