// What the Darwin branches of this package use of CryptoKit, as declared in Apple's documentation. Only types are checked
// with it.
public import Foundation

public enum Curve25519 {
    public enum Signing {
        public struct PrivateKey: Sendable {
            public init() { fatalError() }
            public init<D: ContiguousBytes>(rawRepresentation data: D) throws { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public var publicKey: PublicKey { fatalError() }
            public func signature<D: DataProtocol>(for data: D) throws -> Data { fatalError() }
        }

        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
                fatalError()
            }
        }
    }
}

public enum P256 {
    public enum Signing {
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { fatalError() }
            public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public var publicKey: PublicKey { fatalError() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { fatalError() }
        }

        public struct PublicKey: Sendable {
            public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws { fatalError() }
            public var x963Representation: Data { fatalError() }
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool {
                fatalError()
            }
        }

        public struct ECDSASignature: Sendable {
            public init<D: DataProtocol>(rawRepresentation: D) throws { fatalError() }
            public var rawRepresentation: Data { fatalError() }
        }
    }
}

public enum P384 {
    public enum Signing {
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { fatalError() }
            public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public var publicKey: PublicKey { fatalError() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { fatalError() }
        }

        public struct PublicKey: Sendable {
            public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws { fatalError() }
            public var x963Representation: Data { fatalError() }
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool {
                fatalError()
            }
        }

        public struct ECDSASignature: Sendable {
            public init<D: DataProtocol>(rawRepresentation: D) throws { fatalError() }
            public var rawRepresentation: Data { fatalError() }
        }
    }
}

public struct SymmetricKey: Sendable {
    public init<D: ContiguousBytes>(data: D) { fatalError() }
}

public enum AES {
    public enum GCM {
        public struct Nonce: Sendable {
            public init<D: DataProtocol>(data: D) throws { fatalError() }
        }

        public struct SealedBox: Sendable {
            public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws { fatalError() }
            public var ciphertext: Data { fatalError() }
            public var tag: Data { fatalError() }
        }

        public static func seal<Plaintext: DataProtocol, Header: DataProtocol>(
            _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil, authenticating header: Header
        ) throws -> SealedBox {
            fatalError()
        }

        public static func open<Header: DataProtocol>(
            _ box: SealedBox, using key: SymmetricKey, authenticating header: Header
        ) throws -> Data {
            fatalError()
        }
    }
}
