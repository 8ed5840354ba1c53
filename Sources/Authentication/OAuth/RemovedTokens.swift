import PatchbayErrors

/// What a sign-out has removed, to be revoked at the server.
package struct RemovedTokens: Sendable {
    /// The latest tokens that are known.
    package var tokens = TokenSet()
    /// Why the store could not be read: it may have had later tokens.
    package var loadError: (any Error)?
    /// Why the store could not be written: it still has tokens, which the next sign-out removes.
    package var saveError: (any Error)?
}

extension RemovedTokens: RedactedStringConvertible {
    /// The number of tokens.
    package var description: String { "removed \(tokens)" }
}
