public import StoreCore

extension SQLiteStore {
    /// SQL function of the app; see ``Configuration/functions``.
    ///
    /// ```swift
    /// configuration.functions = [
    ///     .init("slug", argumentCount: 1, isDeterministic: true) { arguments in
    ///         arguments.text(at: 0)?.lowercased().replacing(" ", with: "-")
    ///     }
    /// ]
    /// let rows = try store.rows("SELECT slug(title) FROM note")
    /// ```
    ///
    /// SQLite calls it on the thread of the statement. Its arguments are the cells of a row without column names. An
    /// error that it throws becomes the statement's error, with the code `failed`, the name of the function, and the
    /// message of a `StoreError`; other messages may have values. A call to the store from within it works or throws
    /// `misuse`, as in a row callback.
    public struct Function: Sendable {
        enum Kind: Sendable {
            case scalar(@Sendable (borrowing StoreRow) throws -> StoreValue)
            /// Makes the state of one group.
            case aggregate(@Sendable () -> any AggregateState)
        }

        /// The name, ignoring the case of ASCII letters. It replaces a built-in function of that name.
        public let name: String
        /// The number of arguments, 0 to 127; nil for any number.
        public let argumentCount: Int?
        /// True when equal arguments always give equal results, which an index requires.
        public let isDeterministic: Bool
        /// True when the file's own triggers, views, indexes and constraints may call it.
        ///
        /// Such a function must be harmless for any arguments: the author of the file chooses them.
        public let isInnocuous: Bool
        let kind: Kind

        private init(_ name: String, _ argumentCount: Int?, _ isDeterministic: Bool, _ isInnocuous: Bool, _ kind: Kind)
        {
            self.name = name
            self.argumentCount = argumentCount
            self.isDeterministic = isDeterministic
            self.isInnocuous = isInnocuous
            self.kind = kind
        }

        /// Creates a function of one row.
        /// - Parameters:
        ///   - argumentCount: default any number. Two functions of one name may differ in it.
        ///   - isDeterministic: see ``isDeterministic``; default false.
        ///   - isInnocuous: see ``isInnocuous``; default false.
        ///   - body: computes the result.
        public init<Result: StoreValueConvertible & SendableMetatype>(
            _ name: String, argumentCount: Int? = nil, isDeterministic: Bool = false, isInnocuous: Bool = false,
            _ body: @escaping @Sendable (_ arguments: borrowing StoreRow) throws -> Result
        ) {
            self.init(name, argumentCount, isDeterministic, isInnocuous, .scalar { try body($0).storeValue })
        }

        /// Creates an aggregate function, which computes one result for a group of rows.
        /// - Parameters:
        ///   - argumentCount: default any number.
        ///   - isDeterministic: see ``isDeterministic``; default false.
        ///   - isInnocuous: see ``isInnocuous``; default false.
        ///   - initial: the state before the first row.
        ///   - step: adds a row to the state.
        ///   - result: computes the result, also for a group without rows.
        public static func aggregate<State: Sendable, Result: StoreValueConvertible & SendableMetatype>(
            _ name: String, argumentCount: Int? = nil, isDeterministic: Bool = false, isInnocuous: Bool = false,
            initial: State, step: @escaping @Sendable (inout State, _ arguments: borrowing StoreRow) throws -> Void,
            result: @escaping @Sendable (State) throws -> Result
        ) -> Function {
            Function(
                name, argumentCount, isDeterministic, isInnocuous,
                .aggregate { GroupState(initial, step, { try result($0).storeValue }) })
        }

        /// `unicodeLower(text)`: Unicode's lower case, where SQLite's `lower` maps ASCII letters only.
        public static let unicodeLower = Function.ofText("unicodeLower") { $0.lowercased() }
        /// `unicodeUpper(text)`: Unicode's upper case, where SQLite's `upper` maps ASCII letters only.
        public static let unicodeUpper = Function.ofText("unicodeUpper") { $0.uppercased() }

        /// A function that converts text and returns other values unchanged.
        private static func ofText(_ name: String, _ convert: @escaping @Sendable (String) -> String) -> Function {
            Function(name, argumentCount: 1, isDeterministic: true, isInnocuous: true) { arguments in
                arguments.text(at: 0).map { .text(convert($0)) } ?? arguments.value(at: 0)
            }
        }
    }
}
