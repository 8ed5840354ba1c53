import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

extension MobileFirstService {
    func register(_ request: HTTPRequest, id: String?) async throws -> HTTPResponse {
        guard let id else {
            try request.require(.post)
            return try await register(request)
        }
        try request.require(.get, .put)
        guard request.method == .get else { return try await updateRegistration(request, id: id) }
        let asserted = try client(assertedBy: request.parameters, for: .registration)
        guard asserted == id, let registration = state.withLock({ $0.clients[id]?.registration }) else {
            throw Failure.invalidClientID
        }
        return request.response(json: registration)
    }

    private func register(_ request: HTTPRequest) async throws -> HTTPResponse {
        let signed = try await registration(in: request)
        let id = configuration.makeID()
        state.withLock { state in
            state.clients[id] = Client(key: signed.key, registration: .object(signed.payload))
            state.counts.registrations += 1
        }
        var response = request.response(.created)
        let path = request.url.path(), base = path.hasSuffix("/") ? String(path.dropLast()) : path
        try response.head.fields.set(.location, to: "\(request.origin.text)\(base)/\(id)")
        return response
    }

    private func updateRegistration(_ request: HTTPRequest, id: String) async throws -> HTTPResponse {
        let signed = try await registration(in: request)
        try state.withLock { state throws(Failure) in
            guard let client = state.clients[id] else { throw .invalidClientID }
            guard client.key == signed.key, signed.keyID == nil || signed.keyID == id else {
                throw .invalidRequest("The key is not the registered one")
            }
            state.clients[id]?.registration = .object(signed.payload)
            state.counts.registrationUpdates += 1
        }
        return request.response()
    }

    /// The validated registration of a request.
    private func registration(in request: HTTPRequest) async throws -> JSONWebSignature {
        let data = try await request.jsonObject()["signedRegistrationData"]
        guard let header = data?["header"]?.string, let payload = data?["payload"]?.string,
            let signature = data?["signature"]?.string,
            let signed = JSONWebSignature(header: header, payload: payload, signature: signature)
        else {
            throw Failure.invalidRequest(
                "`signedRegistrationData` is not a JSON Web Signature of RS256 with an RSA key of at least 2048 bits")
        }
        guard try signed.isValid(by: configuration.signatures) else {
            throw Failure.invalidRequest("The signature of the registration is invalid")
        }
        let device = signed.payload["device"], application = signed.payload["application"]
        let texts = [
            device?["id"], device?["platform"], device?["hardware"], application?["id"], application?["clientPlatform"],
        ]
        guard texts.allSatisfy({ $0?.string?.isEmpty == false }) else {
            throw Failure.invalidRequest(
                "The registration lacks one of device.id, .platform, .hardware, application.id, .clientPlatform")
        }
        return signed
    }
}
