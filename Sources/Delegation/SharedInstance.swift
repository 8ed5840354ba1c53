import Synchronization

/// A process-wide value of a facade that can be configured once, before its first use.
///
/// Transitions: unset → configured → used; unset → used. Any other is an error.
package final class SharedInstance<Value: Sendable>: Sendable {
    fileprivate enum State {
        case unset
        case configured(Value)
        case used(Value)
    }

    private let state = Mutex(State.unset)
    private let subject: String
    private let configuration: String
    private let firstUse: String
    private let makeDefault: @Sendable () -> Value

    /// Creates an unset instance; the names are for errors.
    /// - Parameters:
    ///   - subject: the value, such as "The shared manager".
    ///   - configuration: the method that configures it.
    ///   - firstUse: the event that uses it, such as "the first call of shared()".
    ///   - makeDefault: makes the value if it is used before it is configured.
    package init(
        _ subject: String, configuredBy configuration: String, before firstUse: String,
        default makeDefault: @escaping @Sendable () -> Value
    ) {
        self.subject = subject
        self.configuration = configuration
        self.firstUse = firstUse
        self.makeDefault = makeDefault
    }

    /// Sets a value in place of the default.
    /// - Throws: ``FacadeConfigurationError`` (`alreadyConfigured`, `alreadyInUse`).
    package func configure(_ make: () -> Value) throws(FacadeConfigurationError) {
        // The first check avoids making an unused value; `make` runs outside the lock, so the state is checked again.
        try state.withLock { state throws(FacadeConfigurationError) in try check(state) }
        let value = make()
        try state.withLock { state throws(FacadeConfigurationError) in
            try check(state)
            state = .configured(value)
        }
    }

    private func check(_ state: State) throws(FacadeConfigurationError) {
        switch state {
        case .unset:
            break
        case .configured:
            throw FacadeConfigurationError(
                .alreadyConfigured, "\(subject) is already configured; call \(configuration) once.")
        case .used:
            throw FacadeConfigurationError(
                .alreadyInUse, "\(subject) is already in use; call \(configuration) before \(firstUse).")
        }
    }

    /// The value. If several threads make a default at the same time, one is kept.
    package var value: Value {
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
