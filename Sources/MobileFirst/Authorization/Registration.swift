import Authentication
import Foundation
import HTTPMessages
import PatchbayErrors

/// A registration with a server: client ID, private key, and the data that the server has.
struct Registration: Sendable {
    let server: String
    let clientID: String
    let deviceID: String
    let key: RSAPrivateKey
    /// The registered data of device and app.
    let data: JSONValue
}

extension Registration {
    private struct Stored: Codable {
        let server: String
        let clientID: String
        let deviceID: String
        let key: Data
        let data: JSONValue
    }

    /// Reads stored data; nil if it is damaged.
    init?(stored: Data) {
        guard let stored = try? JSONCoding.standard.decode(Stored.self, from: stored),
            let key = try? RSAPrivateKey(der: stored.key)
        else { return nil }
        self.init(
            server: stored.server, clientID: stored.clientID, deviceID: stored.deviceID, key: key, data: stored.data)
    }

    /// The registration as data, a secret.
    func encoded() throws -> Data {
        try JSONCoding.standard.encode(
            Stored(server: server, clientID: clientID, deviceID: deviceID, key: key.der, data: data))
    }
}

extension Registration: RedactedStringConvertible {
    /// The server.
    var description: String { "registration with \(server)" }
}
