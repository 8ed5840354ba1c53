import PatchbayErrors

extension TransportError {
    /// The message for a request body that cannot be read, with that of its cause if it has no values.
    package static func unreadableBodyMessage(_ cause: any Error) -> String {
        "Request body could not be read to its end"
            + ((cause as? any ValueFreeError).map { ": \($0.message)" } ?? "; see `underlying`.")
    }
}
