import Testing

@testable import StoreCore

struct BatchBufferTests {
    private struct Failure: Error {}

    private enum Event {
        case add(Int), take(Int), finish, fail, cancel
    }

    /// What the buffer tells its caller, in words.
    private func steps(_ events: [Event]) -> [String] {
        var buffer = BatchBuffer<Int, Int>()
        func text(_ delivery: BatchBuffer<Int, Int>.Delivery) -> String {
            switch delivery {
            case .batch(let batch): "batch \(batch[0])"
            case .end(nil): "end"
            case .end: "error"
            }
        }
        return events.map { event in
            switch event {
            case .add(let element):
                switch buffer.add([element]) {
                case .deliver(let waiter): "resume \(waiter)"
                case .stored: "stored"
                case .full: "full"
                case .cancelled: "cancelled"
                }
            case .take(let waiter):
                switch buffer.take(waiter) {
                case .suspend: "suspend"
                case .resume(let delivery, let unblocks): text(delivery) + (unblocks ? ", unblock" : "")
                }
            case .finish: buffer.finish(nil).map { "end \($0)" } ?? "-"
            case .fail: buffer.finish(Failure()).map { "error \($0)" } ?? "-"
            case .cancel:
                { () -> String in
                    let (waiter, unblocks) = buffer.cancel()
                    return (waiter.map { "end \($0)" } ?? "-") + (unblocks ? ", unblock" : "")
                }()
            }
        }
    }

    @Test func `a producer is at most two batches ahead`() {
        #expect(
            steps([.add(1), .add(2), .take(1), .add(3), .take(2), .take(3), .take(4), .add(4)])
                == ["stored", "full", "batch 1, unblock", "full", "batch 2, unblock", "batch 3", "suspend", "resume 4"])
    }

    @Test func `the end comes after the stored batches`() {
        #expect(
            steps([.add(1), .finish, .take(1), .take(2), .take(3)]) == ["stored", "-", "batch 1", "end", "end"])
        #expect(steps([.take(1), .finish, .finish, .take(2)]) == ["suspend", "end 1", "-", "end"])
    }

    @Test func `an error comes once, after the stored batches`() {
        #expect(
            steps([.add(1), .fail, .take(1), .take(2), .take(3)]) == ["stored", "-", "batch 1", "error", "end"])
        #expect(steps([.take(1), .fail, .take(2)]) == ["suspend", "error 1", "end"])
    }

    @Test func `cancellation unblocks the producer and drops its batches`() {
        #expect(
            steps([.add(1), .add(2), .cancel, .add(3), .finish, .take(1), .cancel])
                == ["stored", "full", "-, unblock", "cancelled", "-", "end", "-"])
    }

    @Test func `cancellation resumes a waiter once`() {
        #expect(
            steps([.take(1), .cancel, .fail, .add(1), .cancel]) == ["suspend", "end 1", "-", "cancelled", "-"])
    }

    @Test func `an error after cancellation is dropped`() {
        #expect(steps([.add(1), .cancel, .fail, .take(1)]) == ["stored", "-", "-", "end"])
    }
}
