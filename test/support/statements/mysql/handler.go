// The handlers look-then-insert-in-transaction and unique-index of kinds.mjs: handler.go <kind>.
package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"net/url"
	"os"

	"github.com/go-sql-driver/mysql"
)

const pay = `insert into orders (id, times, total) values (?, 1, ?)
  on duplicate key update times = times + 1, total = total + values(total)`

func lookThenInsert(tx *sql.Tx, event, order string) error {
	var id string
	err := tx.QueryRow("select id from events where id = ?", event).Scan(&id)
	if err != sql.ErrNoRows {
		return err
	}
	if _, err = tx.Exec(pay, order, 5); err != nil {
		return err
	}
	_, err = tx.Exec("insert into events (id) values (?)", event)
	return err
}

func uniqueIndex(tx *sql.Tx, event, order string) error {
	if _, err := tx.Exec("insert into events (id) values (?)", event); err != nil {
		return err
	}
	_, err := tx.Exec(pay, order, 5)
	return err
}

var kinds = map[string]func(*sql.Tx, string, string) error{
	"look-then-insert-in-transaction": lookThenInsert,
	"unique-index":                    uniqueIndex,
}

func open() *sql.DB {
	address, err := url.Parse(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.DBName = "tcp", address.Host, address.Path[1:]
	config.User = address.User.Username()
	config.Passwd, _ = address.User.Password()
	db, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		log.Fatal(err)
	}
	return db
}

func main() {
	db, handle := open(), kinds[os.Args[1]]
	process := func(event, order string) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if err = handle(tx, event, order); err != nil {
			tx.Rollback()
			return err
		}
		return tx.Commit()
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodPost {
			return
		}
		var body struct {
			Type string
			Data struct{ ID string }
		}
		err := json.NewDecoder(request.Body).Decode(&body)
		if err == nil {
			err = process(body.Type+" "+body.Data.ID, body.Data.ID)
		}
		var refused *mysql.MySQLError
		if err != nil && !(errors.As(err, &refused) && refused.Number == 1062) {
			log.Print(err)
			response.WriteHeader(http.StatusInternalServerError)
		}
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
