import Testing

@testable import SDMConnectivity

struct QueueStateTests {
    private func state(_ maximum: Int = 2, isSuspended: Bool = false, cancelsOnFailure: Bool = true) -> QueueState {
        QueueState(maximumConcurrent: maximum, isSuspended: isSuspended, cancelsOnFailure: cancelsOnFailure)
    }

    @Test func `S34: never more than the maximum run, in order`() {
        var queue = state(2)
        let ids = (0..<4).map { _ in queue.add() }
        #expect(queue.startWaiting() == [.start(ids[0]), .start(ids[1])])
        #expect(queue.startWaiting() == [] && queue.runningCount == 2)
        #expect(queue.completed(ids[1], failed: false) == [.start(ids[2])])
        queue.maximumConcurrent = 3
        #expect(queue.startWaiting() == [.start(ids[3])])
    }

    @Test func `S32: nothing starts while it is suspended`() {
        var queue = state(isSuspended: true)
        let id = queue.add()
        #expect(queue.startWaiting() == [])
        queue.isSuspended = false
        #expect(queue.startWaiting() == [.start(id)])
    }

    @Test func `S32: it drains each time that its last request completes`() {
        var queue = state()
        for _ in 0..<2 {
            let ids = [queue.add(), queue.add()]
            _ = queue.startWaiting()
            #expect(queue.completed(ids[0], failed: false) == [])
            #expect(queue.completed(ids[1], failed: true) == [.drained])
            #expect(queue.completed(ids[1], failed: true) == [])
        }
    }

    @Test func `S32: the drain follows the last call of the delegates, whichever of both ends is the last`() {
        for deliversLate in [true, false] {
            var queue = state()
            let ids = [queue.add(), queue.add()]
            _ = queue.startWaiting()
            for _ in ids { queue.willDeliverEnd() }
            var actions: [[QueueState.Action]] = []
            if !deliversLate { for _ in ids { actions.append(queue.didDeliverEnd()) } }
            for id in ids { actions.append(queue.completed(id, failed: false)) }
            if deliversLate { for _ in ids { actions.append(queue.didDeliverEnd()) } }
            #expect(actions == [[], [], [], [.drained]])
        }
    }

    @Test func `S32: a request that is added before the delegates return belongs to the same drain`() {
        var queue = state()
        let id = queue.add()
        _ = queue.startWaiting()
        queue.willDeliverEnd()
        #expect(queue.completed(id, failed: false) == [])
        let next = queue.add()
        #expect(queue.didDeliverEnd() == [] && queue.startWaiting() == [.start(next)])
        #expect(queue.completed(next, failed: false) == [.drained])
    }

    @Test func `S32: the end of a request that was cancelled before it was added drains nothing`() {
        var queue = state()
        queue.willDeliverEnd()
        #expect(queue.completed(1, failed: true) == [] && queue.didDeliverEnd() == [])
        let id = queue.add()
        #expect(queue.completed(id, failed: true) == [.drained])
    }

    @Test func `S32: a failure cancels the rest, unless that is off`() {
        var queue = state(1)
        let ids = (0..<3).map { _ in queue.add() }
        _ = queue.startWaiting()
        #expect(queue.completed(ids[0], failed: true) == [.cancel(ids[1]), .cancel(ids[2])])
        // The cancelled ones fail too, which cancels nothing again.
        #expect(queue.completed(ids[1], failed: true) == [] && queue.cancelAll() == [])
        #expect(queue.completed(ids[2], failed: true) == [.drained])
        queue = state(1, cancelsOnFailure: false)
        let others = (0..<2).map { _ in queue.add() }
        _ = queue.startWaiting()
        #expect(queue.completed(others[0], failed: true) == [.start(others[1])])
    }

    @Test func `S33: a request that waits for others is overtaken, and an urgent one goes ahead`() {
        var queue = state(1, isSuspended: true)
        let plain = queue.add()
        let head = queue.add(isUrgent: true)
        let main = queue.add(isBlocked: true)
        queue.isSuspended = false
        #expect(queue.startWaiting() == [.start(head)])
        #expect(queue.completed(head, failed: false) == [.start(plain)])
        #expect(queue.completed(plain, failed: false) == [])
        queue.setBlocked(main, false)
        #expect(queue.startWaiting() == [.start(main)])
    }

    @Test func `a blocked request takes no slot, and starts when it is blocked no longer`() {
        var queue = state(1)
        let blocked = queue.add(isBlocked: true)
        let next = queue.add()
        #expect(queue.startWaiting() == [.start(next)])
        queue.setBlocked(blocked, false)
        #expect(queue.startWaiting() == [])
        #expect(queue.completed(next, failed: false) == [.start(blocked)])
        // Without effect after the start, and for a request that is not in the queue.
        queue.setBlocked(blocked, true)
        queue.setBlocked(17, true)
        #expect(queue.completed(blocked, failed: false) == [.drained])
    }

    @Test func `a blocked request is cancelled with the others`() {
        var queue = state()
        let id = queue.add(isBlocked: true)
        #expect(queue.startWaiting() == [] && queue.cancelAll() == [.cancel(id)])
        #expect(queue.completed(id, failed: true) == [.drained])
    }

    @Test func `S32: the end of a cancelled request does not cancel those that were added since`() {
        var queue = state(1)
        let old = [queue.add(), queue.add()]
        _ = queue.startWaiting()
        #expect(queue.cancelAll() == [.cancel(old[0]), .cancel(old[1])])
        let new = queue.add()
        #expect(queue.completed(old[1], failed: true) == [])
        #expect(queue.completed(old[0], failed: true) == [.start(new)])
        #expect(queue.completed(new, failed: false) == [.drained])
    }
}
