import Testing

@testable import StoreCore

struct CallSlotsStateTests {
    private enum Event {
        case acquire(Bool), enqueue(Int, deadline: UInt64?, timer: UInt64?), cancel(Int, Int?), removeAll([Int])
        case expire(UInt64, [Int], next: UInt64?), release(Int?)
    }

    private static let histories: [[Event]] = [
        // Free slots.
        [.acquire(true), .acquire(true), .acquire(false), .release(nil), .acquire(true), .acquire(false)],
        // First in, first out, past one that has left; nothing comes between a release and the first call.
        [
            .acquire(true), .acquire(true), .enqueue(0, deadline: nil, timer: nil),
            .enqueue(1, deadline: nil, timer: nil), .enqueue(2, deadline: nil, timer: nil), .cancel(1, 1),
            .cancel(1, nil), .release(0), .acquire(false), .cancel(0, nil), .release(2), .release(nil), .acquire(true),
        ],
        // A number may come late.
        [
            .acquire(true), .acquire(true), .enqueue(1, deadline: nil, timer: nil), .release(1),
            .enqueue(0, deadline: nil, timer: nil), .release(0), .release(nil),
        ],
        // All leave.
        [
            .acquire(true), .acquire(true), .enqueue(0, deadline: nil, timer: nil),
            .enqueue(1, deadline: nil, timer: nil), .removeAll([0, 1]), .removeAll([]), .release(nil), .acquire(true),
        ],
        // One timer at a time, for the first deadline; it is started again for the next one.
        [
            .acquire(true), .acquire(true), .enqueue(0, deadline: 10, timer: 10), .enqueue(1, deadline: 20, timer: nil),
            .enqueue(2, deadline: 30, timer: nil), .expire(9, [], next: 10), .cancel(0, 0), .expire(10, [], next: 20),
            .expire(30, [1, 2], next: nil), .expire(31, [], next: nil), .enqueue(3, deadline: 40, timer: 40),
            .release(3), .enqueue(4, deadline: 50, timer: nil), .expire(40, [], next: 50), .release(4), .release(nil),
            .expire(50, [], next: nil), .enqueue(5, deadline: 60, timer: 60),
        ],
    ]

    @Test(arguments: histories.indices) func `calls have slots in their order`(history: Int) {
        var state = CallSlotsState<Int>(count: 2)
        for event in Self.histories[history] {
            switch event {
            case .acquire(let isFree):
                let hasSlot = state.acquire()
                #expect(hasSlot == isFree, "\(event)")
            case .enqueue(let number, let deadline, let timer):
                let started = state.enqueue(number, number: number, deadline: deadline)
                #expect(started == timer, "\(event)")
            case .cancel(let number, let expected):
                let cancelled = state.cancel(number)
                #expect(cancelled == expected, "\(event)")
            case .removeAll(let expected):
                let removed = state.removeAll()
                #expect(removed == expected, "\(event)")
            case .expire(let now, let expected, let next):
                let outcome = state.expire(at: now)
                #expect(outcome.expired == expected && outcome.next == next, "\(event)")
            case .release(let expected):
                let next = state.release()
                #expect(next == expected, "\(event)")
            }
        }
    }

    @Test func `numbers increase`() {
        var state = CallSlotsState<Int>(count: 1)
        let numbers = [state.makeNumber(), state.makeNumber(), state.makeNumber()]
        #expect(numbers == [0, 1, 2])
    }
}
