import Synchronization
import Testing

@testable import HTTPMessages

@Suite struct OpenCallTests {
    private final class Counter: OpenCall.Counter {
        let ended = Atomic<Int>(0)
        var count: Int { ended.load(ordering: .relaxed) }
        func callEnded() { ended.add(1, ordering: .relaxed) }
    }

    private let call = OpenCall(lastSignOut: 0)
    private let first = Counter()
    private let second = Counter()

    @Test func `an open call is counted once by each counter, until it is closed`() {
        #expect(call.enter(first) == .none)
        call.open()
        #expect(call.enter(first) == .first && call.enter(first) == .further && call.enter(second) == .first)
        call.leave(second)
        #expect(call.enter(second) == .first && first.count == 0)
        call.close()
        #expect(first.count == 1 && second.count == 1 && call.enter(first) == .none)
    }

    @Test func `a call is open until the last of its layers closes it, and can be opened again`() {
        for round in 1...2 {
            call.open()
            #expect(call.enter(first) == .first)
            call.open()
            call.close()
            #expect(first.count == round - 1 && call.enter(first) == .further)
            call.close()
            #expect(first.count == round && call.enter(first) == .none)
        }
        call.open()
        call.leave(first)
        #expect(call.enter(first) == .first)
        call.leave(first)
        call.close()
        #expect(first.count == 2)
    }

    @Test func `each counter is told once, however many threads open, enter and close`() async {
        let (call, counter) = (call, first)
        let entered = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<2000).count { _ in
                        call.open()
                        defer { call.close() }
                        return call.enter(counter) == .first
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(counter.count == entered)
        #expect(call.enter(counter) == .none)
    }

    @Test func `the outermost layer begins the call, and requests do not differ by it`() {
        var options = RequestOptions()
        #expect(options.call == nil && options.callID == nil)
        let call = options.openCall()
        #expect(options.openCall() === call && options.call === call && options.callID == call.id)
        var other = RequestOptions()
        #expect(other.beginCall() !== call && other.callID != options.callID)
        #expect(other == options && other.hashValue == options.hashValue && other == RequestOptions())
    }

    @Test func `a call knows the last sign-out at its start`() {
        let before = OpenCall(lastSignOut: SignOutClock.now)
        let number = SignOutClock.tick()
        var options = RequestOptions()
        #expect(before.lastSignOut.map { $0 < number } == true)
        #expect(options.beginCall().lastSignOut.map { $0 >= number } == true)
        var late = RequestOptions()
        #expect(late.beginCall(after: 7).lastSignOut == 7)
        // Another identity is no new start.
        late.callID = CallID(rawValue: 9)
        #expect(late.call?.lastSignOut == 7 && late.callID?.rawValue == 9)
    }

    @Test func `the call takes the identity that the app has set`() {
        var options = RequestOptions()
        options.callID = CallID(rawValue: 7)
        #expect(options.call == nil && options.callID?.rawValue == 7)
        #expect(options.beginCall().id.rawValue == 7 && options.callID?.rawValue == 7)
        var none = RequestOptions()
        none.callID = CallID(rawValue: 7)
        none.callID = nil
        #expect(none.callID == nil)
    }
}
