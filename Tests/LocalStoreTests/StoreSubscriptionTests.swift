import LocalStore
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
}
