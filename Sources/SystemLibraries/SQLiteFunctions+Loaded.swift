extension SQLiteFunctions {
    /// Loads SQLite at run time, so that the build needs no header or development package.
    /// - Parameter isIsolated: true for a library with the same symbols as one already loaded, such as SQLCipher beside
    ///   SQLite.
    package static func load(
        from name: String, isIsolated: Bool = false
    ) throws(SystemLibraryError) -> SQLiteFunctions {
        let library = try DynamicLibrary(name, isIsolated: isIsolated)
        return SQLiteFunctions(
            versionNumber: try library.function("sqlite3_libversion_number", as: VersionNumber.self),
            open: try library.function("sqlite3_open_v2", as: Open.self),
            close: try library.function("sqlite3_close_v2", as: HandleFunction.self),
            fileName: try library.function("sqlite3_db_filename", as: FileName.self),
            fileControl: try library.function("sqlite3_file_control", as: FileControl.self),
            setExtendedResultCodes: try library.function("sqlite3_extended_result_codes", as: HandleIntFunction.self),
            setBusyTimeout: try library.function("sqlite3_busy_timeout", as: HandleIntFunction.self),
            setAuthorizer: try library.function("sqlite3_set_authorizer", as: SetAuthorizer.self),
            errorMessage: try library.function("sqlite3_errmsg", as: Message.self),
            errorOffset: try? library.function("sqlite3_error_offset", as: HandleFunction.self),
            codeMessage: try library.function("sqlite3_errstr", as: CodeMessage.self),
            changes: try library.function("sqlite3_changes", as: HandleFunction.self),
            totalChanges: try library.function("sqlite3_total_changes", as: HandleFunction.self),
            isAutocommit: try library.function("sqlite3_get_autocommit", as: HandleFunction.self),
            prepare: try library.function("sqlite3_prepare_v3", as: Prepare.self),
            finalize: try library.function("sqlite3_finalize", as: HandleFunction.self),
            step: try library.function("sqlite3_step", as: HandleFunction.self),
            reset: try library.function("sqlite3_reset", as: HandleFunction.self),
            clearBindings: try library.function("sqlite3_clear_bindings", as: HandleFunction.self),
            isReadOnly: try library.function("sqlite3_stmt_readonly", as: HandleFunction.self),
            isBusy: try library.function("sqlite3_stmt_busy", as: HandleFunction.self),
            status: try library.function("sqlite3_stmt_status", as: Status.self),
            parameterCount: try library.function("sqlite3_bind_parameter_count", as: HandleFunction.self),
            bindNull: try library.function("sqlite3_bind_null", as: HandleIntFunction.self),
            bindInteger: try library.function("sqlite3_bind_int64", as: BindInteger.self),
            bindReal: try library.function("sqlite3_bind_double", as: BindReal.self),
            bindText: try library.function("sqlite3_bind_text64", as: BindText.self),
            bindBlob: try library.function("sqlite3_bind_blob64", as: BindBlob.self),
            columnCount: try library.function("sqlite3_column_count", as: HandleFunction.self),
            columnName: try library.function("sqlite3_column_name", as: ColumnName.self),
            columnValue: try library.function("sqlite3_column_value", as: ColumnValue.self),
            valueType: try library.function("sqlite3_value_type", as: HandleFunction.self),
            valueInteger: try library.function("sqlite3_value_int64", as: ValueInteger.self),
            valueReal: try library.function("sqlite3_value_double", as: ValueReal.self),
            valueText: try library.function("sqlite3_value_text", as: ValueText.self),
            valueBlob: try library.function("sqlite3_value_blob", as: ValueBlob.self),
            valueBytes: try library.function("sqlite3_value_bytes", as: HandleFunction.self))
    }
}

#if !canImport(Darwin)
    extension SQLiteFunctions {
        package static let libraryName = "libsqlite3.so.0"

        static func load() throws(SystemLibraryError) -> SQLiteFunctions { try load(from: libraryName) }
    }
#endif
