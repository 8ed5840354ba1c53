import Synchronization

/// A process-wide value that can be configured once, before its first use.
///
/// Transitions: unset → configured → used; unset → used. Any other is an error.
final class SharedInstance<Value: Sendable>: Sendable {
    fileprivate enum State {
        case unset
        case configured(Value)
        case used(Value)

        func checkUnset() throws(ORAConfigurationError) {
            switch self {
            case .unset:
                break
            case .configured:
                throw ORAConfigurationError(
                    .alreadyConfigured, "The shared manager is already configured; call configureShared once.")
            case .used:
                throw ORAConfigurationError(
                    .alreadyInUse,
                    "The shared manager is already in use; call configureShared before the first call of shared().")
            }
        }
    }

    private let state = Mutex(State.unset)
    private let makeDefault: @Sendable () -> Value

    init(default makeDefault: @escaping @Sendable () -> Value) { self.makeDefault = makeDefault }

    /// Sets a value in place of the default.
    /// - Throws: ``ORAConfigurationError`` (`alreadyConfigured`, `alreadyInUse`).
    func configure(_ make: () -> Value) throws(ORAConfigurationError) {
        // The first check avoids making a value that is not used; `make` runs outside the lock, so the state is checked again.
        try state.withLock { state throws(ORAConfigurationError) in try state.checkUnset() }
        let value = make()
        try state.withLock { state throws(ORAConfigurationError) in
            try state.checkUnset()
            state = .configured(value)
        }
    }

    /// The value. If several threads make a default at the same time, one is kept.
    var value: Value {
        if let value = state.withLock({ $0.use(nil) }) { return value }
        let value = makeDefault()
        return state.withLock { $0.use(value) } ?? value
    }
}

extension SharedInstance.State {
    /// Moves to `used` and returns the value; nil if unset and `new` is nil.
    fileprivate mutating func use(_ new: Value?) -> Value? {
        switch self {
        case .unset:
            guard let new else { return nil }
            self = .used(new)
            return new
        case .configured(let value):
            self = .used(value)
            return value
        case .used(let value):
            return value
        }
    }
}
