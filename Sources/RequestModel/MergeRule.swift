import HTTPMessages

/// How the data of an agent and the data of one call become one.
///
/// ```swift
/// let data = MergeRule.akula.merge(agent.requestData, callData)
/// ```
///
/// Under every rule the call wins, a part that one side leaves unsaid comes from the other, and a body or options
/// that the call has replace the agent's as a whole. Merging with ``RequestData/empty`` changes nothing, and
/// `merge(merge(a, b), c)` is `merge(a, merge(b, c))`, so rules may be applied in layers.
public struct MergeRule: Hashable, Sendable {
    /// How one part that both sides have is merged.
    public enum Part: Hashable, Sendable {
        /// The call's part is all there is.
        case replace
        /// Names that the call has are the call's, with all their values; the agent's other names are kept.
        case mergeByName
    }

    /// How header fields are merged; their names are compared without regard to case.
    public let fields: Part
    /// How query parameters are merged; their names are compared byte by byte.
    public let query: Part

    /// A rule of one's own.
    public init(fields: Part, query: Part) {
        self.fields = fields
        self.query = query
    }

    /// Fields and parameters by name.
    public static let byName = MergeRule(fields: .mergeByName, query: .mergeByName)
    /// The call's fields and parameters, if it has any, or else the agent's.
    public static let replacing = MergeRule(fields: .replace, query: .replace)

    /// Akula's `requestData` of agent and call: headers and parameters are combined by name; wherever both conflict,
    /// the call wins. Neither operand is changed.
    public static let akula = byName
    /// MobileFirst's global headers and the headers of a request: combined by name, the request's win.
    public static let mobileFirst = byName

    /// The data of a call that `base` goes with.
    public func merge(_ base: RequestData, _ call: RequestData) -> RequestData {
        let fields =
            switch fields {
            case .replace: call.fields.isEmpty ? base.fields : call.fields
            case .mergeByName: base.fields.replacing(with: call.fields)
            }
        let query =
            switch query {
            case .replace: call.query.isEmpty ? base.query : call.query
            case .mergeByName: base.query.replacing(with: call.query)
            }
        return RequestData(
            fields: fields, query: query, body: call.body.isEmpty ? base.body : call.body,
            options: call.options ?? base.options)
    }
}
