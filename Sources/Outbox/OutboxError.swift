import Foundation
@_exported public import PatchbayErrors

/// A call of an outbox that was refused; nothing was changed.
///
/// Failures of entries that are sent later are no errors of a call: see ``OutboxFailure``.
public struct OutboxError: PatchbayError, Hashable {
    /// The kind of refusal.
    public let code: Code
    /// What is wrong and what to do about it.
    public let message: String

    /// Makes an error. `message` must not hold secrets.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ErrorCode where Failure == OutboxError {
    /// The body is a stream, which can be read only once and not after a relaunch.
    public static var streamBody: Self { Self(1) }
    /// The request has a secret header field, query value or body, which would be stored.
    public static var secret: Self { Self(2) }
    /// The key, the name or the user is too long.
    public static var nameTooLong: Self { Self(3) }
    /// The body is larger than ``OutboxOptions/maximumBodyBytes``.
    public static var bodyTooLarge: Self { Self(4) }
    /// The file of the body could not be copied.
    public static var fileNotCopied: Self { Self(5) }
    /// The entry would have expired before it is added.
    public static var expired: Self { Self(6) }
    /// The entry was sent, discarded or removed meanwhile, or belongs to another user.
    public static var noSuchEntry: Self { Self(7) }
    /// The entry is being sent; wait until that has ended.
    public static var inFlight: Self { Self(8) }
    /// The server may have processed the entry, so a changed one could have a second effect.
    public static var outcomeUnknown: Self { Self(9) }
    /// The stored request of the entry is damaged.
    public static var damaged: Self { Self(10) }
    /// A newer version of the package has written the outbox of this store.
    public static var newerFormat: Self { Self(11) }
    /// The entry has no conflict that can be resolved.
    public static var noConflict: Self { Self(12) }
    /// A merged row has no place in the request's body, or a response is not a row.
    public static var unmergeable: Self { Self(13) }
}
