import StoreCore

/// State of an aggregate function for one group of rows.
protocol AggregateState: AnyObject {
    func step(_ arguments: borrowing StoreRow) throws
    func result() throws -> StoreValue
}

/// ``AggregateState`` of closures. One thread uses it: that of the statement.
final class GroupState<State>: AggregateState {
    private var state: State
    private let onStep: (inout State, borrowing StoreRow) throws -> Void
    private let onResult: (State) throws -> StoreValue

    init(
        _ initial: State, _ step: @escaping (inout State, borrowing StoreRow) throws -> Void,
        _ result: @escaping (State) throws -> StoreValue
    ) {
        state = initial
        onStep = step
        onResult = result
    }

    func step(_ arguments: borrowing StoreRow) throws { try onStep(&state, arguments) }
    func result() throws -> StoreValue { try onResult(state) }
}
