import Dispatch
import Testing

@testable import SQLiteStore
@testable import StoreCore

struct BusyWaitTests {
    @Test func `a wait without a timeout gives up at once`() {
        let wait = BusyWait(timeout: .zero)
        #expect(!wait.next(0, isInterrupted: false))
        #expect(!wait.takeEnded())
    }

    @Test func `a limited wait ends before its timeout, and the next one does not`() {
        let wait = BusyWait(timeout: .seconds(3600))
        #expect(wait.limiting(to: .never) { wait.next(0, isInterrupted: false) })
        #expect(!wait.limiting(to: .nanoseconds(0)) { wait.next(0, isInterrupted: false) })
        #expect(!wait.takeEnded() && wait.next(0, isInterrupted: false))
    }

    @Test func `an interrupted wait ends and says so once`() {
        let wait = BusyWait(timeout: .seconds(3600))
        #expect(wait.next(0, isInterrupted: false))
        #expect(!wait.next(1, isInterrupted: true))
        #expect(wait.takeEnded())
        #expect(!wait.takeEnded())
    }

    @Test func `the cancellation of the task ends a wait that began before`() async {
        let isWaiting = await Task {
            let wait = BusyWait(timeout: .seconds(3600))
            let first = wait.next(0, isInterrupted: false)
            withUnsafeCurrentTask { $0?.cancel() }
            let second = wait.next(1, isInterrupted: false)
            let hasEnded = wait.takeEnded()
            // A cancelled task may wait again, to clean up.
            let third = wait.next(0, isInterrupted: false)
            return [first, second, hasEnded, third, wait.next(1, isInterrupted: false)]
        }.value
        #expect(isWaiting == [true, false, true, true, true])
    }

    @Test func `the cancellation of an async call also ends a wait that begins afterwards`() async {
        let isWaiting = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let wait = BusyWait(timeout: .seconds(3600))
            return AsyncCall.$current.withValue(AsyncCall()) {
                [wait.next(0, isInterrupted: false), wait.takeEnded()]
            }
        }.value
        #expect(isWaiting == [false, true])
    }

    @Test func `the wait of an async transaction ends at its deadline`() {
        let wait = BusyWait(timeout: .seconds(3600))
        let call = AsyncCall(writer: StoreThreads(), .now())
        AsyncCall.$current.withValue(call) {
            #expect(!wait.next(0, isInterrupted: false))
            #expect(!wait.takeEnded())
            call.begin()
            #expect(wait.next(0, isInterrupted: false))
        }
    }

    @Test func `a new wait forgets the end of the last one`() {
        let wait = BusyWait(timeout: .seconds(3600))
        #expect(!wait.next(0, isInterrupted: true))
        wait.reset()
        #expect(!wait.takeEnded())
    }
}
