/// An error of a pace within a request body, where an engine takes it for one of the body.
struct PaceFailure: Error {
    let error: TransportError

    /// The error of the pace, if an engine wrapped it in `unreadableBody`; other errors as they are.
    static func unwrapped(_ error: any Error) -> any Error {
        let failure = error as? PaceFailure ?? (error as? TransportError)?.underlying as? PaceFailure
        return failure?.error ?? error
    }
}
