import Foundation

/// Supplies credentials for each attempt; a provider that asks a server should keep them until they expire.
///
/// ```swift
/// let provider = AWSCredentialProvider { try await session.credentials() }
/// ```
public struct AWSCredentialProvider: Sendable {
    private let provide: @Sendable () async throws -> AWSCredentials

    /// Creates a provider from a closure, which may be called at the same time by several tasks.
    public init(_ provide: @escaping @Sendable () async throws -> AWSCredentials) { self.provide = provide }

    /// The same credentials for all requests.
    public static func fixed(_ credentials: AWSCredentials) -> AWSCredentialProvider {
        AWSCredentialProvider { credentials }
    }

    /// The variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, read for each attempt.
    ///
    /// Without the first two a call fails with ``SigningError`` (`invalidCredential`).
    public static let environment = environment { ProcessInfo.processInfo.environment }

    static func environment(_ variables: @escaping @Sendable () -> [String: String]) -> AWSCredentialProvider {
        AWSCredentialProvider {
            let variables = variables()
            guard let id = variables["AWS_ACCESS_KEY_ID"], !id.isEmpty,
                let secret = variables["AWS_SECRET_ACCESS_KEY"], !secret.isEmpty
            else {
                throw SigningError(
                    .invalidCredential,
                    "No AWS credentials: set the environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
            }
            let token = variables["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
            return AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token)
        }
    }

    /// The credentials of this moment.
    /// - Throws: the error of the closure.
    public func credentials() async throws -> AWSCredentials { try await provide() }
}
