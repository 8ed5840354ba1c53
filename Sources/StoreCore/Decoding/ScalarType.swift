import Foundation

/// The usual types whose value is in one cell: no decoder is needed.
///
/// Those of Foundation must not be decoded as other types are, since they expect other representations.
enum ScalarType {
    case date, uuid, url, data, decimal
    case int, int64, double, bool, string

    /// Nil for another type. Comparing types is cheaper than a cast to ``CellScalar``.
    @inline(__always)
    init?(_ type: Any.Type) {
        if type == Date.self {
            self = .date
        } else if type == UUID.self {
            self = .uuid
        } else if type == URL.self {
            self = .url
        } else if type == Data.self {
            self = .data
        } else if type == Decimal.self {
            self = .decimal
        } else if type == Int.self {
            self = .int
        } else if type == Int64.self {
            self = .int64
        } else if type == Double.self {
            self = .double
        } else if type == Bool.self {
            self = .bool
        } else if type == String.self {
            self = .string
        } else {
            return nil
        }
    }
}

extension StoreCell {
    /// The value of a scalar type.
    /// - Parameter type: that type.
    @inline(__always)
    func value<Value>(
        _ scalar: ScalarType, as type: Value.Type, _ coding: StoreCoding
    ) throws(CellProblem) -> Value {
        switch scalar {
        case .date: try value(Date.self, as: type, coding)
        case .uuid: try value(UUID.self, as: type, coding)
        case .url: try value(URL.self, as: type, coding)
        case .data: try value(Data.self, as: type, coding)
        case .decimal: try value(Decimal.self, as: type, coding)
        case .int: try value(Int.self, as: type, coding)
        case .int64: try value(Int64.self, as: type, coding)
        case .double: try value(Double.self, as: type, coding)
        case .bool: try value(Bool.self, as: type, coding)
        case .string: try value(String.self, as: type, coding)
        }
    }

    /// - Parameter type: the same type as `Scalar`; a cast would check that at each cell.
    @inline(__always)
    private func value<Scalar: CellScalar, Value>(
        _: Scalar.Type, as type: Value.Type, _ coding: StoreCoding
    ) throws(CellProblem) -> Value {
        unsafeBitCast(try Scalar.decode(self, coding), to: type)
    }
}
