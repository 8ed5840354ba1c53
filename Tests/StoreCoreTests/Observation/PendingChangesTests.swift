import Testing

@testable import StoreCore

struct PendingChangesTests {
    /// An event of the state machine.
    private enum Event {
        case add(Set<SQLIdentifier>), wait(Int), watch(Set<SQLIdentifier>?), finish, cancel
    }

    /// What it tells its caller: the waiter that is resumed, and its change; nil for the end.
    private struct Action: Equatable {
        let waiter: Int
        let tables: Set<SQLIdentifier>?

        init(_ waiter: Int, _ tables: Set<SQLIdentifier>?) { (self.waiter, self.tables) = (waiter, tables) }
    }

    /// Runs events; returns the actions, nil for an event without one.
    private func actions(_ filter: Set<SQLIdentifier>? = nil, _ events: [Event]) -> [Action?] {
        var changes = PendingChanges<Int>(filter: filter)
        return events.map { event in
            switch event {
            case .add(let tables): changes.add(StoreChange(tables: tables)).map { Action($0.0, $0.1.tables) }
            case .wait(let waiter):
                if case .resume(let change) = changes.wait(waiter) { Action(waiter, change?.tables) } else { nil }
            case .watch(let filter):
                {
                    changes.watch(filter)
                    return nil
                }()
            case .finish: changes.finish().map { Action($0, nil) }
            case .cancel: changes.cancel().map { Action($0, nil) }
            }
        }
    }

    @Test func `changes are merged until a reader takes them`() {
        #expect(
            actions(nil, [.add(["a"]), .add(["B"]), .add(["A"]), .wait(1), .wait(2), .add(["c"])])
                == [nil, nil, nil, Action(1, ["a", "b"]), nil, Action(2, ["c"])])
    }

    @Test func `a waiter is resumed once`() {
        #expect(
            actions(nil, [.wait(1), .add(["a"]), .add(["b"]), .wait(2)])
                == [nil, Action(1, ["a"]), nil, Action(2, ["b"])])
    }

    @Test func `tables outside of the filter are not reported`() {
        #expect(
            actions(["a", "b"], [.wait(1), .add(["c"]), .add(["b", "c"]), .wait(2), .add(["A"])])
                == [nil, nil, Action(1, ["b"]), nil, Action(2, ["a"])])
    }

    @Test func `a new filter applies to the pending change`() {
        #expect(
            actions(nil, [.add(["a", "b"]), .watch(["b"]), .wait(1), .add(["a"]), .wait(2), .watch(nil), .add(["a"])])
                == [nil, nil, Action(1, ["b"]), nil, nil, nil, Action(2, ["a"])])
        #expect(actions(nil, [.add(["a"]), .watch(["b"]), .wait(1)]) == [nil, nil, nil])
    }

    @Test func `the end comes after the pending change`() {
        #expect(
            actions(nil, [.add(["a"]), .finish, .add(["b"]), .wait(1), .wait(2), .wait(3)])
                == [nil, nil, nil, Action(1, ["a"]), Action(2, nil), Action(3, nil)])
        #expect(actions(nil, [.wait(1), .finish, .finish]) == [nil, Action(1, nil), nil])
    }

    @Test func `cancellation drops the pending change`() {
        #expect(
            actions(nil, [.add(["a"]), .cancel, .wait(1), .add(["a"]), .wait(2)])
                == [nil, nil, Action(1, nil), nil, Action(2, nil)])
        #expect(actions(nil, [.wait(1), .cancel, .cancel, .add(["a"])]) == [nil, Action(1, nil), nil, nil])
    }

    @Test func `a second waiter gets the end and the first one its change`() {
        #expect(actions(nil, [.wait(1), .wait(2), .add(["a"])]) == [nil, Action(2, nil), Action(1, ["a"])])
    }
}
