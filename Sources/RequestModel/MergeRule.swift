import HTTPMessages

/// Rule for merging the default data of an agent with the data of one call.
///
/// ```swift
/// let data = MergeRule.byName.merge(agent.requestData, callData)
/// ```
///
/// Under every rule the call takes precedence, a part that is unset on one side comes from the other, and the call's
/// body or options replace the agent's as a whole. Merging is associative, with ``RequestData/empty`` as identity, so
/// defaults may be layered.
public struct MergeRule: Hashable, Sendable {
    /// Rule for fields or parameters that are set on both sides.
    public enum Part: Hashable, Sendable {
        /// The call's part replaces the agent's as a whole.
        case replace
        /// The call's names replace those of the agent, with all their values; the agent's other names are kept.
        case mergeByName
    }

    /// Rule for header fields; names are case-insensitive.
    public let fields: Part
    /// Rule for query parameters; names are compared bytewise.
    public let query: Part

    /// Creates a rule.
    public init(fields: Part, query: Part) {
        self.fields = fields
        self.query = query
    }

    /// Merges fields and parameters by name.
    public static let byName = MergeRule(fields: .mergeByName, query: .mergeByName)
    /// Uses the call's fields and parameters, if it has any, otherwise the agent's.
    public static let replacing = MergeRule(fields: .replace, query: .replace)

    /// Merges the data of a call into default data.
    public func merge(_ base: RequestData, _ call: RequestData) -> RequestData {
        let fields =
            switch fields {
            case .replace: call.fields.isUnset ? base.fields : call.fields
            case .mergeByName: base.fields.merging(call.fields)
            }
        let query =
            switch query {
            case .replace: call.query.isEmpty ? base.query : call.query
            case .mergeByName: base.query.merging(call.query)
            }
        return RequestData(
            fields: fields, query: query, body: call.body.isEmpty ? base.body : call.body,
            options: call.options ?? base.options)
    }
}
