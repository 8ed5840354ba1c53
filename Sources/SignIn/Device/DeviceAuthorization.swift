import Authentication
import Foundation
import HTTPMessages
import JSON

/// The response of a device authorization endpoint (RFC 8628, section 3.2).
struct DeviceAuthorization {
    let prompt: DevicePrompt
    let deviceCode: String
    let interval: Double?

    /// - Throws: `AuthenticationError` (`refused`, `invalidTokenResponse`).
    init(_ response: OAuthResponse) throws {
        let members = try response.accepted()
        let text = { (name: String) in
            guard let text = members?[name]?.string, !text.isEmpty, text.utf8.count <= 16 << 10 else {
                throw response.invalid("`\(name)` is missing, or longer than 16 KiB")
            }
            return text
        }
        deviceCode = try text("device_code")
        guard let lifetime = OAuthResponse.seconds(members?["expires_in"]), lifetime > 0 else {
            throw response.invalid("`expires_in` is missing, or not positive")
        }
        let complete = members?["verification_uri_complete"]?.string
        prompt = DevicePrompt(
            verificationURL: try Self.page(text("verification_uri"), of: response), userCode: try text("user_code"),
            completeURL: try complete.map { try Self.page($0, of: response) }, lifetime: .seconds(lifetime))
        interval = OAuthResponse.seconds(members?["interval"])
    }

    /// An app opens the page, so it has to be one of the web.
    private static func page(_ text: String, of response: OAuthResponse) throws -> URL {
        guard let request = try? HTTPRequest(.get, text), request.origin.protectsSecrets else {
            throw response.invalid("`verification_uri` is not an https URL")
        }
        return request.url
    }
}
