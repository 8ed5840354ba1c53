/// What happens to a request whose key has a waiting entry that was never sent.
///
/// ```swift
/// options.collapsing = { entry, request in
///     switch (entry.method, request.method) {
///     case ("PUT", .put): .replaceEntry             // only the last state counts
///     case ("POST", .delete): .dropBoth             // created and deleted offline
///     default: .keepBoth
///     }
/// }
/// ```
@nonexhaustive public enum OutboxCollapse: Hashable, Sendable {
    /// Both are sent, in their order.
    case keepBoth
    /// The request replaces the entry, in its place, under an Idempotency-Key of its own. Both are kept if the entry
    /// has edits of rows of which the request has none, or another first row.
    case replaceEntry
    /// Neither is sent.
    case dropBoth
}
