public import Authentication
import Coordination
import Foundation
import HTTPMessages

extension OAuthLogin {
    /// Signs the user in on another device (RFC 8628): for televisions, and for command lines without a browser.
    ///
    /// ```swift
    /// let tokens = try await login.tokens(scopes: ["orders"]) { prompt in
    ///     print("Open \(prompt.verificationURL) and enter \(prompt.userCode)")
    /// }
    /// ```
    /// - Parameters:
    ///   - scopes: what the tokens are for; with `openid`, the server has to send an ID token.
    ///   - show: shows the prompt to the user, and returns at once. If it throws, the sign-in fails with its error.
    /// - Throws: ``SignInError`` (`deviceCodeExpired`, `accessDenied`, `unsupported`, `cancelled`, `invalidIDToken`);
    ///   `AuthenticationError`; errors of the transport before the prompt is shown.
    public func tokens(
        scopes: OAuthScope, showing show: @Sendable (DevicePrompt) async throws -> Void
    ) async throws -> OAuthClient {
        try await signIn(scopes: scopes, showing: show).tokens
    }

    /// Signs the user in on another device, and returns the ID token too.
    /// - Parameters: as those of ``tokens(scopes:showing:)``.
    public func signIn(
        scopes: OAuthScope, showing show: @Sendable (DevicePrompt) async throws -> Void
    ) async throws -> SignInResult {
        try await checkingCancellation {
            let metadata = try await metadata()
            guard let url = metadata.deviceAuthorizationEndpoint else {
                throw unsupported("it has no device authorization endpoint; use `tokens(scopes:opening:)`")
            }
            try checkProof(metadata)
            let response = try await endpoint(url, for: .deviceAuthorization).response(
                to: [], scope: scopes, client: client)
            let device = try DeviceAuthorization(response)
            let deadline = clock.now + device.prompt.lifetime
            try await show(device.prompt)
            let issued = try await poll(
                device.deviceCode, metadata, DevicePolling(interval: device.interval, deadline: deadline))
            return try await keep(issued, scopes, metadata, nonce: nil)
        }
    }

    private func poll(
        _ deviceCode: String, _ metadata: OAuthServerMetadata, _ polling: DevicePolling
    ) async throws -> IssuedTokens {
        var polling = polling
        var event = DevicePolling.Event.start
        while true {
            switch polling.next(after: event, now: clock.now) {
            case .fail(let error): throw error
            case .ask(let time): try await clock.sleep(until: time)
            }
            do {
                return try await issue(
                    [
                        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", deviceCode),
                    ], metadata)
            } catch {
                event = .failure(error)
            }
        }
    }
}
