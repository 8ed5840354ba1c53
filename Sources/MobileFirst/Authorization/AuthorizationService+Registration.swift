import Authentication
import Coordination
import Foundation
import HTTPMessages
import RequestModel
import ResponseDecoding
import Synchronization

extension AuthorizationService {
    /// The registration with an exchange's server, as it is now, or as it was if all were deleted since; nil without
    /// one.
    func known(at server: BaseURL, _ start: ExchangeStart) -> Registration? {
        // Before the check, so that a deletion in between is noticed.
        let current = registrations.current()
        let known = registrations.isCurrent(start.registrations) ? current : start.registrations.value.registration
        return known?.server == server.text ? known : nil
    }

    /// The registration with an exchange's server, made or updated if necessary.
    func registration(at server: BaseURL, _ start: ExchangeStart) async throws -> Registration {
        guard let known = known(at: server, start) else { return try await register(server, start) }
        let deviceID = state.deviceID ?? known.deviceID
        let data = data(deviceID: deviceID, registered: known.data)
        if data == known.data {
            heartbeat.start(for: self)
            return known
        }
        return try await update(known, at: server, to: data, deviceID: deviceID, start)
    }

    private func register(_ server: BaseURL, _ start: ExchangeStart) async throws -> Registration {
        let key = try RSAPrivateKey.generate()
        let deviceID = state.deviceID ?? UUID().uuidString
        let data = data(deviceID: deviceID, registered: nil)
        let signed = try await SignedJSON(header: key.header(clientID: nil), payload: data, signer: key)
        let response = try await requests.post("registration/v1/self", at: server, json: signed.registration)
        guard response.status == .created else { throw refusedRegistration(response) }
        let path = response.fields[.location].map { $0.prefix { $0 != "?" && $0 != "#" } }
        guard let clientID = path?.split(separator: "/").last else {
            throw WLError(
                .status, "The response to the registration has no client ID in `Location`.",
                response: WLResponse(response))
        }
        let registration = Registration(
            server: server.text, clientID: String(clientID), deviceID: deviceID, key: key, data: data)
        registrations.keep(registration, from: start.registrations)
        heartbeat.start(for: self)
        return registration
    }

    private func update(
        _ known: Registration, at server: BaseURL, to data: JSONValue, deviceID: String, _ start: ExchangeStart
    ) async throws -> Registration {
        let signed = try await SignedJSON(
            header: known.key.header(clientID: known.clientID), payload: data, signer: known.key)
        let response = try await requests.send(
            .put, "registration/v1/self/\(known.clientID)", at: server, json: signed.registration)
        guard response.status.isSuccessful else { throw refusedRegistration(response) }
        let registration = Registration(
            server: known.server, clientID: known.clientID, deviceID: deviceID, key: known.key, data: data)
        registrations.keep(registration, from: start.registrations)
        heartbeat.start(for: self)
        return registration
    }

    private func refusedRegistration(_ response: HTTPResponse) -> WLError {
        guard response.head.isChallengeOfMobileFirst else { return .refused(response, "registration") }
        return WLError(
            .authorization,
            "The server challenges the registration itself, as app authenticity does; it must be disabled, since only "
                + "the vendor's SDK can pass it.", response: WLResponse(response))
    }

    /// The data to register; a display name that was registered earlier is kept.
    private func data(deviceID: String, registered: JSONValue?) -> JSONValue {
        let configuration = state.configuration
        var application: [String: JSONValue] = [
            "id": .string(configuration.applicationID), "clientPlatform": .string(configuration.clientPlatform),
        ]
        if let version = configuration.applicationVersion { application["version"] = .string(version) }
        var data: [String: JSONValue] = [
            "device": [
                "id": .string(deviceID), "platform": .string(configuration.clientPlatform),
                "hardware": .string(configuration.deviceHardware),
            ],
            "application": .object(application),
        ]
        if let name = displayName.withLock(\.self) {
            data["attributes"] = [Self.displayNameAttribute: .string(name)]
        } else if let attributes = registered?["attributes"] {
            data["attributes"] = attributes
        }
        return .object(data)
    }

    /// The name of the attribute, which the vendor has not published.
    static let displayNameAttribute = "deviceDisplayName"

    /// Sets the display name of the device, for the next registration or update.
    func setDisplayName(_ name: String) { displayName.withLock { $0 = name } }

    /// Registers the app, or updates its registration.
    func updateRegistration() async throws { try await registered { _, _ in } }

    /// The registered display name of the device.
    func registeredDisplayName() async throws -> String? {
        try await registered { servers, registration in
            let url = try servers.server.appending("api/registration/v1/self/\(registration.clientID)").text
            let response = try await requests.asserting(registration) { assertion in
                try await requests.send(
                    HTTPRequest(.get, "\(url)?client_assertion=\(assertion)", options: requests.options()))
            }
            guard response.status == .ok else { throw WLError.refused(response, "registration data") }
            let data = try? JSONValue(parsing: response.jsonBody)
            return data?["attributes"]?[Self.displayNameAttribute]?.string
        }
    }

    /// Sends a heartbeat; errors, and the login page of a gateway, are ignored, since the next one follows.
    func sendHeartbeat() async {
        guard let server = try? state.server(), let registration = registrations.current(),
            registration.server == server.text
        else { return }
        _ = try? await requests.unattended.post("preauth/v1/heartbeat", at: server, assertedBy: registration)
    }
}

extension SignedJSON {
    /// The body of a registration.
    fileprivate var registration: JSONValue {
        [
            "signedRegistrationData": [
                "header": .string(header), "payload": .string(payload), "signature": .string(signature),
            ]
        ]
    }
}
