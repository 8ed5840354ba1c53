public import Foundation

extension MobileFirstService {
    /// An RSA public key, as unsigned big-endian integers without leading zeros.
    public struct PublicKey: Hashable, Sendable {
        /// The modulus, at least 2048 bits.
        public let modulus: Data
        /// The public exponent, odd and at least 3.
        public let exponent: Data

        /// Creates a key; nil if the modulus has less than 2048 bits, or the exponent is even or less than 3.
        public init?(modulus: Data, exponent: Data) {
            let modulus = Data(modulus.drop { $0 == 0 })
            let exponent = Data(exponent.drop { $0 == 0 })
            guard modulus.count > 256 || (modulus.count == 256 && modulus[0] & 0x80 != 0),
                let last = exponent.last, last & 1 == 1, exponent != Data([1])
            else { return nil }
            (self.modulus, self.exponent) = (modulus, exponent)
        }
    }
}
