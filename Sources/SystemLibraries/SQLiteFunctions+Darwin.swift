#if canImport(Darwin)
    import SQLite3

    extension SQLiteFunctions {
        package static let libraryName = "libsqlite3.dylib"

        /// The functions of the SDK's SQLite, which is always available.
        static func load() throws(SystemLibraryError) -> SQLiteFunctions {
            let offset: HandleFunction = { sqlite3_error_offset($0) }
            return SQLiteFunctions(
                versionNumber: { sqlite3_libversion_number() },
                open: { sqlite3_open_v2($0, $1, $2, $3) },
                close: { sqlite3_close_v2($0) },
                fileName: { sqlite3_db_filename($0, $1) },
                fileControl: { sqlite3_file_control($0, $1, $2, $3) },
                setExtendedResultCodes: { sqlite3_extended_result_codes($0, $1) },
                setBusyTimeout: { sqlite3_busy_timeout($0, $1) },
                setAuthorizer: { sqlite3_set_authorizer($0, $1, $2) },
                errorMessage: { sqlite3_errmsg($0) },
                errorOffset: offset,
                codeMessage: { sqlite3_errstr($0) },
                changes: { sqlite3_changes($0) },
                totalChanges: { sqlite3_total_changes($0) },
                isAutocommit: { sqlite3_get_autocommit($0) },
                prepare: { sqlite3_prepare_v3($0, $1, $2, $3, $4, $5) },
                finalize: { sqlite3_finalize($0) },
                step: { sqlite3_step($0) },
                reset: { sqlite3_reset($0) },
                clearBindings: { sqlite3_clear_bindings($0) },
                isReadOnly: { sqlite3_stmt_readonly($0) },
                isBusy: { sqlite3_stmt_busy($0) },
                status: { sqlite3_stmt_status($0, $1, $2) },
                parameterCount: { sqlite3_bind_parameter_count($0) },
                bindNull: { sqlite3_bind_null($0, $1) },
                bindInteger: { sqlite3_bind_int64($0, $1, $2) },
                bindReal: { sqlite3_bind_double($0, $1, $2) },
                bindText: { statement, index, bytes, count, destructor, encoding in
                    sqlite3_bind_text64(
                        statement, index, bytes, count,
                        unsafeBitCast(destructor, to: sqlite3_destructor_type?.self), encoding)
                },
                bindBlob: { statement, index, bytes, count, destructor in
                    sqlite3_bind_blob64(
                        statement, index, bytes, count,
                        unsafeBitCast(destructor, to: sqlite3_destructor_type?.self))
                },
                columnCount: { sqlite3_column_count($0) },
                columnName: { sqlite3_column_name($0, $1) },
                columnValue: { sqlite3_column_value($0, $1) },
                valueType: { sqlite3_value_type($0) },
                valueInteger: { sqlite3_value_int64($0) },
                valueReal: { sqlite3_value_double($0) },
                valueText: { sqlite3_value_text($0) },
                valueBlob: { sqlite3_value_blob($0) },
                valueBytes: { sqlite3_value_bytes($0) })
        }
    }
#endif
