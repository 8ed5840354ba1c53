import Foundation
@_exported public import PatchbayErrors

/// An error of configuring a facade, which is unchanged then.
public struct FacadeConfigurationError: PatchbayError {
    /// The error code.
    public let code: Code
    /// What is wrong and what to do, for developers.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ErrorCode where Failure == FacadeConfigurationError {
    /// The facade is already configured.
    public static var alreadyConfigured: Self { Self(1) }
    /// The facade is already in use.
    public static var alreadyInUse: Self { Self(2) }
    /// A timeout is zero, negative or more than a hundred years, or the response size limit is negative.
    public static var invalidLimit: Self { Self(3) }
}
