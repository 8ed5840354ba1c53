import Connectivity
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@Suite struct NetworkMonitorTests {
    @Test(arguments: [
        (NetworkState.unknown, true), (.reachable, true), (.unreachable, false),
    ])
    func `1: an unknown state counts as reachable`(state: NetworkState, isReachable: Bool) {
        #expect(ManualNetworkMonitor(state).isReachable == isReachable)
        #expect(state.isReachable == isReachable)
    }

    @Test func `1: a handler gets each change, and none after its token is cancelled`() {
        let network = ManualNetworkMonitor()
        let seen = Mutex<[NetworkState]>([])
        let token = network.subscribe { state in seen.withLock { $0.append(state) } }
        network.set(.unreachable)
        network.set(.unreachable)
        network.set(NetworkState(.reachable, isExpensive: true))
        token.cancel()
        network.set(.unknown)
        #expect(seen.withLock { $0 } == [.unreachable, NetworkState(.reachable, isExpensive: true)])
        #expect(!network.isExpensive && network.state == .unknown)
    }

    @Test func `1: a released token ends its subscription`() {
        let network = ManualNetworkMonitor()
        let count = Mutex(0)
        _ = network.subscribe { _ in count.withLock { $0 += 1 } }
        network.set(.unreachable)
        #expect(count.withLock { $0 } == 0)
    }

    @Test func `a handler that changes the state again is not called within itself`() {
        let network = ManualNetworkMonitor()
        let seen = Mutex<[NetworkState]>([])
        let token = network.subscribe { state in
            seen.withLock { $0.append(state) }
            if state == .unreachable {
                network.set(.reachable)
                #expect(seen.withLock { $0.count } == 1)
            }
        }
        network.set(.unreachable)
        #expect(seen.withLock { $0 } == [.unreachable, .reachable])
        token.cancel()
    }

    @Test func `handlers are called again for a state that comes back while they are called`() {
        let network = ManualNetworkMonitor(.unreachable)
        let seen = Mutex<[NetworkState]>([])
        let token = network.subscribe { _ in
            if seen.withLock({ $0.isEmpty }) {
                network.set(.unreachable)
                // What another handler reads now, which must not be the last that it sees.
                seen.withLock { $0.append(network.state) }
                network.set(.reachable)
            }
            seen.withLock { $0.append(network.state) }
        }
        network.set(.reachable)
        #expect(seen.withLock { $0 } == [.unreachable, .reachable, .reachable])
        token.cancel()
    }

    /// A network that comes back right after its state was read.
    private struct ReturningNetwork: NetworkMonitor {
        let subscribers = NetworkSubscribers(.unreachable)

        var state: NetworkState {
            let old = subscribers.current
            subscribers.set(.reachable)
            return old
        }

        func subscribe(_ handler: @escaping @Sendable (NetworkState) -> Void) -> NetworkSubscription {
            subscribers.add(handler)
        }
    }

    @Test(.needsSlot) func `1: a change while the sequence begins is not followed by the old state`() async {
        var changes = ReturningNetwork().changes.makeAsyncIterator()
        #expect(await changes.next() == .reachable)
    }

    @Test(.needsSlot) func `1: changes begin with the state now, and a slow reader gets the latest`() async {
        let network = ManualNetworkMonitor(.unreachable)
        var changes = network.changes.makeAsyncIterator()
        #expect(await changes.next() == .unreachable)
        network.set(.unknown)
        network.set(.reachable)
        #expect(await changes.next() == .reachable)
    }
}
